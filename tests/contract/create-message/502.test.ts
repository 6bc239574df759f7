import { testProviderFailure } from "../generation/test-provider-failure.ts";
import { MESSAGE } from "../operations.ts";

testProviderFailure(MESSAGE);
