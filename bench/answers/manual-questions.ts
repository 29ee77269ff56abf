/** A question about ibid's own manual, and phrases that only a place with the answer has. */
export interface ManualQuestion {
  readonly question: string;
  /** Any of them answers: a document, and words of it. */
  readonly places: readonly (readonly [uri: string, words: string])[];
}

/** Thirty questions in the words of people who have not read the manual. */
export const manualQuestions: readonly ManualQuestion[] = [
  {
    question: "How long are deleted documents kept?",
    places: [
      ["docs/operations.md", "removes those that were deleted more than 7 days ago"],
      ["docs/command-line.md", "erases documents that were deleted longer ago, 7 days by default"],
    ],
  },
  {
    question: "How do I rotate keys?",
    places: [["docs/server.md", "Two entries may have one name, for example while a key is replaced."]],
  },
  {
    question: "Which Node versions work?",
    places: [
      ["README.md", "You need Node 22.23.3 or newer"],
      ["docs/principles.md", "Node 22.23.3 is the oldest supported version"],
    ],
  },
  {
    question: "How do I delete a document?",
    places: [
      ["README.md", "`ibid delete <uri>`"],
      ["docs/operations.md", "`ibid delete --purge` removes at once"],
      ["docs/command-line.md", "`--purge` erases it from every file"],
      ["docs/library/ingest.md", "`kb.delete({ filter })` deletes every document"],
      ["docs/server.md", "| `DELETE /document` | writers |"],
    ],
  },
  {
    question: "Where are events stored?",
    places: [["docs/operations.md", "Events are stored beside a durable knowledge base, in `events.sqlite`"]],
  },
  {
    question: "How many requests per minute may one key send?",
    places: [["docs/server.md", "| `requestsPerMinute` | 1,200 |"]],
  },
  {
    question: "What happens when two documents have the same text?",
    places: [
      ["docs/library/search.md", "Chunks with the same text, white space aside, are one hit"],
      ["docs/command-line.md", 'A hit whose text stands elsewhere too has `"copies"'],
    ],
  },
  {
    question: "Does it work without an internet connection?",
    places: [
      ["README.md", "ibid uses the network only for a model or an address that you name."],
      ["README.md", "No key, no model download and no compiler are necessary."],
    ],
  },
  {
    question: "Can it read scanned PDFs?",
    places: [
      ["docs/library/ingest.md", "A PDF of scanned pages is refused without text recognition"],
      ["README.md", "A scan without a text layer needs text recognition"],
      ["docs/formats.md", "scanned pages without text recognition"],
    ],
  },
  {
    question: "How large may a file be?",
    places: [
      ["docs/formats.md", "A file in a folder may have 10 MiB; one named outright, or a stream, 64 MiB"],
      ["docs/formats.md", "256 MiB of bytes"],
      ["docs/command-line.md", "Files in folders may have 10 MiB, named files 64 MiB."],
    ],
  },
  {
    question: "How do I undo a delete?",
    places: [
      ["docs/operations.md", "Until then `ibid restore` takes them back."],
      ["docs/command-line.md", "`restore <uri> --json`"],
      ["docs/command-line.md", "A deleted document can be restored until it is vacuumed"],
    ],
  },
  {
    question: "How do I switch to another embedding model?",
    places: [
      ["docs/operations.md", "Open the knowledge base with the new model and the former one."],
      ["docs/library/models.md", "Open with the new model, and with the old one as a former model."],
    ],
  },
  {
    question: "What does exit code 3 mean?",
    places: [
      ["docs/command-line.md", "The exit code is 0 for an answer and 3 for a refusal."],
      ["docs/command-line.md", "It is 3 when not, 2 for wrong usage and 1 for a failure."],
    ],
  },
  {
    question: "How do I make the service available to other machines?",
    places: [
      ["docs/server.md", "For access from other machines, put a proxy with TLS in front."],
      ["docs/server.md", "ibid serve --host 0.0.0.0 --keys keys.json"],
      ["docs/command-line.md", "Any host but this machine's needs `--keys`"],
    ],
  },
  {
    question: "How big are chunks by default?",
    places: [["docs/chunking.md", "A chunk has at most 1,000 characters; neighbours overlap by 125."]],
  },
  {
    question: "Why is my hidden folder not ingested?",
    places: [["docs/command-line.md", "A walk also leaves out hidden files and generated folders"]],
  },
  {
    question: "How do I ingest a whole website?",
    places: [
      ["docs/command-line.md", "| `--sitemap <url>` |"],
      ["docs/library/ingest.md", "`openSitemapSource(address)` is the pages that a site lists"],
    ],
  },
  {
    question: "How do I stop the server?",
    places: [
      ["docs/server.md", "SIGTERM and SIGINT stop the service after the accepted requests are finished."],
      ["docs/server.md", "await service.stop();"],
      ["docs/command-line.md", "SIGTERM or Ctrl-C finishes the accepted requests"],
    ],
  },
  {
    question: "Are events of a document gone when I delete it?",
    places: [["docs/operations.md", "Deleting a document leaves the events of it"]],
  },
  {
    question: "What format does a list of synonyms have?",
    places: [["docs/library/search.md", "The format is that of Solr and Elasticsearch."]],
  },
  {
    question: "What does it do against prompt injection?",
    places: [
      ["docs/security.md", "Each source stands between delimiters with 128 random bits"],
      ["docs/security.md", "These guarantees hold whatever a document says"],
      ["docs/security.md", "A model sees a source as a reader does"],
    ],
  },
  {
    question: "How can a page on another site call the service?",
    places: [["docs/server.md", "unless `--allow-origin https://app.example` names that origin"]],
  },
  {
    question: "Who can see the documents of a team?",
    places: [
      ["docs/library/callers.md", "Callers read their own user and team scopes"],
      ["docs/command-line.md", "With them you read the user's and the teams' scopes"],
    ],
  },
  {
    question: "How do I use a model that runs in Ollama?",
    places: [
      ["docs/command-line.md", "| `ollama/…` |"],
      ["docs/library/models.md", "| `ollama/nomic-embed-text`, `ollama:llama3` |"],
      ["README.md", 'models: { chat: "ollama/qwen3:8b" }'],
    ],
  },
  {
    question: "Can answers be streamed over HTTP?",
    places: [["docs/server.md", "With `accept: text/event-stream`, `POST /ask` answers with server-sent events"]],
  },
  {
    question: "How do I find out why a hit has its score?",
    places: [
      ["docs/command-line.md", "`--explain` adds `explain`: the score and rank of each leg"],
      ["docs/library/search.md", "With `explain`, the hit also has the parts that add up to its score."],
      ["README.md", "lists the best places, with the reasons for their scores (`--explain`)"],
    ],
  },
  {
    question: "Are my questions logged?",
    places: [
      ["README.md", "No log, cache or trace holds query text."],
      ["docs/server.md", "An entry contains no query, no parameter"],
      ["docs/operations.md", "No event has a word of a query, a text or a uri."],
      ["docs/principles.md", "Query text stands in no cache key, trace, event or log."],
    ],
  },
  {
    question: "How much memory does ingesting a large text take?",
    places: [["docs/formats.md", "that is about 300 MiB and twice the text over an empty process"]],
  },
  {
    question: "How do I let CI fail when search gets worse?",
    places: [
      ["docs/command-line.md", "Exit 1, with a sentence on standard error, when a metric is below its `--min`"],
      ["docs/command-line.md", "ibid eval questions.jsonl --against before.json --min success@5=0.9"],
    ],
  },
  {
    question: "What is the difference between strict and preferred grounding?",
    places: [
      ["docs/library/ask.md", "`strict` is a law: no sentence stands in the text whose verdict is not `supported`"],
      ["docs/library/ask.md", "`preferred` shows everything, each sentence with its verdict."],
    ],
  },
];
