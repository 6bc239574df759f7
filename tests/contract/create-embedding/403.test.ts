import { testForbidden } from "../generation/test-forbidden.ts";
import { EMBEDDINGS } from "../operations.ts";

testForbidden(EMBEDDINGS);
