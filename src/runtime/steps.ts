/** Does a work in steps in one go. **Shape** its result. */
export function finishSteps<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
