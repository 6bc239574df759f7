import { testTooMuch } from "../generation/test-too-much.ts";
import { MESSAGE } from "../operations.ts";

testTooMuch(MESSAGE);
