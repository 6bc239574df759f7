import { testInsufficientCredit } from "../generation/test-insufficient-credit.ts";
import { MESSAGE } from "../operations.ts";

testInsufficientCredit(MESSAGE);
