import { testTooMuch } from "../generation/test-too-much.ts";
import { CHAT } from "../operations.ts";

testTooMuch(CHAT);
