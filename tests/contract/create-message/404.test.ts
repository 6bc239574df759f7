import { testNotFound } from "../generation/test-not-found.ts";
import { MESSAGE } from "../operations.ts";

testNotFound(MESSAGE);
