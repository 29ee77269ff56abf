/** What of this room is public. Only the doors read it. */
export {
  alwaysRefresh,
  neverRefreshExisting,
  refreshAfter,
  refreshModified,
  refreshMatching,
} from "./refresh-policy.ts";
