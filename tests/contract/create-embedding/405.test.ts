import { testWrongMethod } from "../generation/test-wrong-method.ts";
import { EMBEDDINGS } from "../operations.ts";

testWrongMethod(EMBEDDINGS);
