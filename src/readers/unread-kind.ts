import type { IbidError } from "../contracts/errors.ts";

import { fileNameOf } from "./file-name.ts";
import { isTextual } from "./media-type.ts";
import { mediaTypeOfName } from "./media-type-names.ts";

/**
 * Whether a refusal is one of the file's kind, so that a walk over a folder passes it by. A locked, scanned or broken
 * file is of a kind that is read. So is a damaged text whose name says that it is one.
 */
export function isUnreadKind({ code }: IbidError, uri: string): boolean {
  if (code !== "binary") return code === "unsupported-media";
  const named = mediaTypeOfName(fileNameOf(uri));
  return named === undefined || !isTextual(named);
}
