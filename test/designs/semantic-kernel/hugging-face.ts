import { openKnowledgeBase } from "ibid";
import { createHuggingFaceEmbeddingModel } from "ibid/models";
import { withEndpoint } from "../endpoint.ts";
import { equal, refuses } from "../kit.ts";
import { prove } from "../prove.ts";

export const huggingFace = [
  prove("S12", "embeddings of Hugging Face's hosted API", () => {
    const paths: string[] = [];
    return withEndpoint(
      ({ path, headers, body }) => {
        paths.push(path);
        if (headers.authorization !== "Bearer hf_x") return { status: 401, body: { error: "no" } };
        const { inputs } = body as { readonly inputs: readonly string[] };
        return { body: inputs.map((text) => (text.includes("north") ? [0, 1] : [1, 0])) as unknown as object };
      },
      async (serviceUrl) => {
        const model = "sentence-transformers/all-MiniLM-L6-v2";
        const embedding = createHuggingFaceEmbeddingModel({ model, accessToken: "hf_x", serviceUrl, dimensions: 2 });
        equal([embedding.provider, embedding.model, embedding.dimensions], ["huggingface", model, 2]);
        const kb = await openKnowledgeBase({ models: { embedding } });
        await kb.ingest([
          { uri: "n", text: "A north wind." },
          { uri: "e", text: "An east wind." },
        ]);
        equal((await kb.search("to the north", { mode: "dense", topK: 1 }))[0]?.source.uri, "n");
        equal(new Set(paths), new Set([`/models/${model}/pipeline/feature-extraction`]));
        await kb.close();
        await refuses("configuration-missing", () => createHuggingFaceEmbeddingModel({ model, accessToken: " " }));
        const wrong = createHuggingFaceEmbeddingModel({ model, accessToken: "no", serviceUrl });
        await refuses("embedding-failed", () => wrong.embed(["a"], { purpose: "query" }));
      },
    );
  }),
];
