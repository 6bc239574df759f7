import { testTooMuch } from "../generation/test-too-much.ts";
import { RESPONSES } from "../operations.ts";

testTooMuch(RESPONSES);
