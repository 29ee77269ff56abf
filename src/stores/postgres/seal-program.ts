import { Transfer } from "../../runtime/calls.ts";
import { serveThread } from "../../runtime/thread.ts";
import { type ArrivedBytes, createArrivalSealer, unpackArrived } from "./seal-arrivals.ts";

/** Program of the thread that makes segments of chunks that a copy receives. */
const seal = createArrivalSealer();

serveThread({
  seal(given: ArrivedBytes) {
    const { row, files } = seal(unpackArrived(given));
    // Each part has a buffer of its own then, which can be moved.
    const moved = files.map((file) => ({ ...file, data: file.data.slice() }));
    return new Transfer(
      { row, files: moved },
      moved.map(({ data }) => data.buffer),
    );
  },
});
