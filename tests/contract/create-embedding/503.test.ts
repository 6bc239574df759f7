import { testNoRoom } from "../generation/test-no-room.ts";
import { EMBEDDINGS } from "../operations.ts";

testNoRoom(EMBEDDINGS);
