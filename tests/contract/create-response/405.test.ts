import { testWrongMethod } from "../generation/test-wrong-method.ts";
import { RESPONSES } from "../operations.ts";

testWrongMethod(RESPONSES);
