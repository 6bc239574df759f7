import { testUnauthorised } from "../generation/test-unauthorised.ts";
import { RESPONSES } from "../operations.ts";

testUnauthorised(RESPONSES);
