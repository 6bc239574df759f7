import { testNoRoom } from "../generation/test-no-room.ts";
import { COUNT } from "../operations.ts";

testNoRoom(COUNT);
