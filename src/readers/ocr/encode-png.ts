import { crc32, deflateSync } from "node:zlib";

import type { PagePicture } from "./page-picture.ts";

/** A picture in grey as PNG, which every program reads. **Source** PNG, third edition, 5 and 11. */
export function encodePng({ width, height, pixels, dpi }: PagePicture): Uint8Array {
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++)
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const density = Buffer.alloc(9);
  const perMetre = Math.round(dpi / 0.0254);
  density.writeUInt32BE(perMetre, 0);
  density.writeUInt32BE(perMetre, 4);
  density[8] = 1;
  return Uint8Array.from(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk("IHDR", header),
      chunk("pHYs", density),
      chunk("IDAT", deflateSync(rows, { level: 1 })),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(content.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
