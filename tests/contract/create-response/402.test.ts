import { testInsufficientCredit } from "../generation/test-insufficient-credit.ts";
import { RESPONSES } from "../operations.ts";

testInsufficientCredit(RESPONSES);
