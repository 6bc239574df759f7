import { testProviderFailure } from "../generation/test-provider-failure.ts";
import { RESPONSES } from "../operations.ts";

testProviderFailure(RESPONSES);
