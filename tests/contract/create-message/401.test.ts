import { testUnauthorised } from "../generation/test-unauthorised.ts";
import { MESSAGE } from "../operations.ts";

testUnauthorised(MESSAGE);
