import { testNotFound } from "../generation/test-not-found.ts";
import { COUNT } from "../operations.ts";

testNotFound(COUNT);
