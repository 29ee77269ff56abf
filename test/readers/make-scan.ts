import { deflateSync } from "node:zlib";

/** A PDF of one page that is a picture and nothing else: white, with black boxes. **Units** points, from the top left. */
export function makeScan(
  boxes: readonly { readonly x: number; readonly y: number; readonly width: number; readonly height: number }[],
): Uint8Array {
  const [width, height] = [200, 100];
  const pixels = Buffer.alloc(width * height, 255);
  for (const box of boxes)
    for (let y = box.y; y < box.y + box.height; y++) pixels.fill(0, y * width + box.x, y * width + box.x + box.width);
  const data = deflateSync(pixels);
  const content = Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /I Do Q`);
  const stream = (facts: string, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`<<${facts}/Length ${bytes.length}>>stream\n`), bytes, Buffer.from("\nendstream")]);
  const objects = [
    Buffer.from("<</Type/Catalog/Pages 2 0 R>>"),
    Buffer.from("<</Type/Pages/Kids[3 0 R]/Count 1>>"),
    Buffer.from(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    ),
    stream("", content),
    stream(
      `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode`,
      data,
    ),
  ];
  const pieces = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let at = pieces[0]!.length;
  for (const [index, object] of objects.entries()) {
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    offsets.push(at);
    at += piece.length;
    pieces.push(piece);
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  pieces.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF`,
    ),
  );
  return Uint8Array.from(Buffer.concat(pieces));
}
