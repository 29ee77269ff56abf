/** The same response; `ended` is called once, when its body has been read to the end, has failed, or nobody reads it any more. */
export function whenBodyEnds(response: Response, ended: () => void): Response {
  if (response.body === null) {
    ended();
    return response;
  }
  const reader = response.body.getReader();
  let isOver = false;
  const end = (): void => {
    if (!isOver) ended();
    isOver = true;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          throw error;
        }
      },
      async cancel(reason) {
        await reader.cancel(reason).finally(end);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}
