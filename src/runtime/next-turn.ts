/** Ends when whatever else waits has had its turn: long work without a wait would hold up everybody in this thread. **Cost** a millisecond. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}
