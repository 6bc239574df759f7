import { testInsufficientCredit } from "../generation/test-insufficient-credit.ts";
import { CHAT } from "../operations.ts";

testInsufficientCredit(CHAT);
