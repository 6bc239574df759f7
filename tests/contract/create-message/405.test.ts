import { testWrongMethod } from "../generation/test-wrong-method.ts";
import { MESSAGE } from "../operations.ts";

testWrongMethod(MESSAGE);
