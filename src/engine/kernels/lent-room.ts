/** Room for one number of each row. The work that took it reads it until others have taken all rooms since. */
export interface LentRoom {
  /** The numbers; `undefined` where another work has them now. */
  readonly numbers: Float32Array | undefined;
  /** Gives them back. */
  close(): void;
}

/** Rooms that there are at most. A work that is under way beside as many others loses its own. */
const mostRooms = 16;

interface Room {
  numbers: Float32Array;
  holder: LentRoom | undefined;
}

/** The one that was taken last at the end. */
const rooms: Room[] = [];

/** Room for `size` numbers, which are not cleared. Free room is taken first, then the room that was taken longest ago. */
export function takeRoom(size: number): LentRoom {
  const at = rooms.findIndex(({ holder }) => holder === undefined);
  const [room = { numbers: new Float32Array(0), holder: undefined }] =
    at >= 0 || rooms.length === mostRooms ? rooms.splice(Math.max(at, 0), 1) : [];
  if (room.numbers.length < size) room.numbers = new Float32Array(size + (size >> 3));
  rooms.push(room);
  const holder: LentRoom = {
    get numbers() {
      return room.holder === holder ? room.numbers : undefined;
    },
    close() {
      if (room.holder === holder) room.holder = undefined;
    },
  };
  room.holder = holder;
  return holder;
}
