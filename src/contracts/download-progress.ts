/**
 * State of a model's download. **Units** bytes, over all files of the model; those that were there before count as received.
 *
 * @experimental
 */
export interface DownloadProgress {
  /** Name of the model, such as `all-MiniLM-L6-v2`. */
  readonly model: string;
  readonly received: number;
  readonly total: number;
}
