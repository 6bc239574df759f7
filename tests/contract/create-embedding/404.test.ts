import { testNotFound } from "../generation/test-not-found.ts";
import { EMBEDDINGS } from "../operations.ts";

testNotFound(EMBEDDINGS);
