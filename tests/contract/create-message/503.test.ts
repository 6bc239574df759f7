import { testNoRoom } from "../generation/test-no-room.ts";
import { MESSAGE } from "../operations.ts";

testNoRoom(MESSAGE);
