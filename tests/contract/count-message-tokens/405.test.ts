import { testWrongMethod } from "../generation/test-wrong-method.ts";
import { COUNT } from "../operations.ts";

testWrongMethod(COUNT);
