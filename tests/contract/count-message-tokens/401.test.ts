import { testUnauthorised } from "../generation/test-unauthorised.ts";
import { COUNT } from "../operations.ts";

testUnauthorised(COUNT);
