import { testConflict } from "../generation/test-conflict.ts";
import { CHAT } from "../operations.ts";

testConflict(CHAT);
