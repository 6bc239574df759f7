import { testUnauthorised } from "../generation/test-unauthorised.ts";
import { EMBEDDINGS } from "../operations.ts";

testUnauthorised(EMBEDDINGS);
