import type { ScannedPiece } from "../../text/untrusted/scan-markers.ts";

/** A piece whose quotes have been looked at. A marker knows the quotes before it that its sources have. */
export type CheckedPiece =
  /** A quotation that stays is settled, with its marks. So is what stands apart: code, and words of a quoted block. */
  | { readonly type: "text"; readonly text: string; readonly settled?: "apart" | "quotation" }
  | (Extract<ScannedPiece, { type: "marker" }> & {
      readonly quoted: readonly string[];
      /** It was put behind words between quotation marks that no source has: it must go. */
      readonly refuted: boolean;
      /** It was held back: what the scanner has read since stands behind it. */
      readonly late: boolean;
    });
