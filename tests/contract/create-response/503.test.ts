import { testNoRoom } from "../generation/test-no-room.ts";
import { RESPONSES } from "../operations.ts";

testNoRoom(RESPONSES);
