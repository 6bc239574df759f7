import { testNotFound } from "../generation/test-not-found.ts";
import { RESPONSES } from "../operations.ts";

testNotFound(RESPONSES);
