/** An earlier and a later statement. */
export type StatementPair = readonly [earlier: string, later: string];

/** Pairs of which the later statement replaces the earlier one. Written by hand. */
export const replacing: readonly StatementPair[] = [
  ["The deploy day is Tuesday.", "The deploy day is Thursday."],
  ["The API server listens on port 8080.", "The API server listens on port 9090."],
  ["Deploys run on Tuesdays.", "Deploys now run on Thursdays instead of Tuesdays."],
  ["The default branch is master.", "The default branch is main."],
  ["Ada's phone number is 555-0100.", "Ada's phone number is 555-0199."],
  ["The staging database is at db1.internal.example/app.", "The staging database is at db2.internal.example/app."],
  ["The test runner is Jest.", "The test runner is Vitest."],
  ["The release manager is Grace Hopper.", "The release manager is Barbara Liskov."],
  ["The session timeout is 30 minutes.", "The session timeout is 15 minutes."],
  ["We deploy to Heroku.", "We no longer deploy to Heroku, we deploy to Fly."],
  ["The minimum Node version is 20.", "The minimum Node version is 22."],
  ["Feature flag dark-mode is off.", "Feature flag dark-mode is on."],
  ["The weekly meeting is on Monday.", "The weekly meeting is now on Wednesday."],
  ["The code owner of billing is Ada.", "The code owner of billing is Linus."],
  ["max_connections = 100", "max_connections = 200"],
  ["The package manager is npm.", "The package manager is now pnpm."],
  ["The trial period is 14 days.", "The trial period is 30 days."],
  ["The office moved to Berlin.", "The office moved to Hamburg."],
  ["The certificate expires on 2026-12-01.", "The certificate expires on 2027-12-01."],
  ["Logs are kept for 30 days.", "Logs are now kept for 90 days."],
  ["The Redis cache runs on port 6379.", "The Redis cache runs on port 6380."],
  ["The primary color is #336699.", "The primary color is #993366."],
  ["Build status of main is red.", "Build status of main is green."],
  ["The main contact at Acme is Jane Doe.", "The main contact at Acme is John Roe."],
  ["The database version is Postgres 15.", "The database version is Postgres 17."],
  ["The retry limit is 3.", "The retry limit is 5."],
  ["The user prefers tabs.", "The user now prefers spaces instead of tabs."],
  ["The CI system is Travis.", "The CI system switched to Buildkite."],
  ["The price of the team plan is $20.", "The price of the team plan is $25."],
  ["The user lives in Oslo.", "The user no longer lives in Oslo but in Bergen."],
];

/** Pairs of two subjects, or of values that hold together. Written by hand. */
export const apart: readonly StatementPair[] = [
  ["Ada likes tea.", "Ada likes coffee."],
  ["Tests of billing run with Vitest.", "Tests of search run with Jest."],
  ["The API server is slow.", "The API server is written in Go."],
  ["Use tabs in Go files.", "Use tabs in Makefiles."],
  ["The staging port is 8080.", "The production port is 8080."],
  ["The deploy day is Tuesday.", "The release manager is Grace Hopper."],
  ["The retry limit is 3.", "The rate limit is 3."],
  ["Ada's phone number is 555-0100.", "Grace's phone number is 555-0199."],
  ["The user works at Acme.", "The user works on compilers."],
  ["The build is slow.", "The build is reproducible because of the lock file."],
  ["Postgres stores the orders.", "Postgres stores the invoices."],
  ["The web page uses Preact.", "The web page uses Tailwind."],
  ["The parser handles Markdown.", "The parser handles HTML."],
  ["Never commit to main.", "Never commit generated files."],
  ["The team has five engineers.", "The team has an office dog."],
  ["The session timeout is 30 minutes.", "The session cookie is called sid."],
  ["Run the linter before each commit.", "Run the tests before each push."],
  ["The staging database is at db1.internal.example/app.", "The staging queue is at mq1.internal.example/app."],
  ["Ada is a mathematician.", "Ada is 36."],
  ["Grace reviewed the parser.", "Grace now reviews the planner."],
  ["Ada owns billing.", "Grace now owns search."],
  ["The min heap size is 256 MB.", "The max heap size is 512 MB."],
  ["Errors of the mailer go to Sentry.", "Errors of the crawler now go to Sentry."],
  ["The API returns JSON.", "The API now accepts gzip."],
  ["The first customer is Acme.", "The second customer is Initech."],
  ["In Chrome the page is fast.", "In Safari the page is slow."],
  ["The docs are in docs.", "The examples are in examples."],
  ["The invoice service talks to Stripe.", "The invoice service talks to SAP."],
  ["The user speaks German.", "The user speaks Italian."],
  ["The meeting room is on floor 3.", "The kitchen is on floor 3."],
];

/** Replacing pairs that were written after the rule, and not used to make it. */
export const replacingUnseen: readonly StatementPair[] = [
  ["The on-call engineer is Mallory Archer.", "The on-call engineer is Lana Kane."],
  ["The upload limit is 10 MB.", "The upload limit is 25 MB."],
  ["The nightly job runs at 02:00.", "The nightly job runs at 04:30."],
  ["The project license is MIT.", "The project license is Apache-2.0."],
  ["The mobile app supports iOS 15.", "The mobile app now supports iOS 17 and later."],
  ["The support e-mail is help@acme.example.", "The support e-mail is support@acme.example."],
  ["Maintenance mode is disabled.", "Maintenance mode is enabled."],
  ["The build image is node:20-slim.", "The build image is node:24-slim."],
  ["Invoices are sent by post.", "Invoices are now sent by e-mail."],
  ["The budget for marketing is 40k.", "The budget for marketing is 55k."],
  ["The message broker is RabbitMQ.", "The message broker is now NATS."],
  ["Backups go to S3.", "Backups no longer go to S3, they go to R2."],
  ["Pull requests need one approval.", "Pull requests now need two approvals."],
  ["The sprint length is 2 weeks.", "The sprint length is 3 weeks."],
  ["The launch date is May 3.", "The launch date is June 10."],
];

/** Pairs of two subjects that were written after the rule. */
export const apartUnseen: readonly StatementPair[] = [
  ["The upload limit is 10 MB.", "The download limit is 50 MB."],
  ["The crawler ignores robots.txt in tests.", "The crawler respects robots.txt in production."],
  ["The user owns a cat.", "The user owns a dog."],
  ["The search page is in Preact.", "The admin page is in Svelte."],
  ["Bob maintains the parser.", "Alice now maintains the lexer."],
  ["The mobile app supports iOS 15.", "The mobile app supports Android 12."],
  ["The build image is node:20-slim.", "The test image is node:22."],
  ["The house style is British English.", "The commit style is imperative."],
  ["Payments use Stripe.", "Payments use webhooks."],
  ["The launch date is May 3.", "The launch team is Anna and Bo."],
  ["The user is vegetarian.", "The user is left-handed."],
  ["Friday is a holiday.", "Friday is demo day."],
  ["The main risk is latency.", "The main risk is cost."],
  ["The queue holds 1000 jobs.", "The queue now has two workers."],
  ["Backups go to S3.", "Logs now go to S3."],
];

/** Short pairs without a form of "to be", of which the later may replace the earlier: at least a doubt. Written by hand, before `beginAlike`. */
export const short: readonly StatementPair[] = [
  ["We deploy on Fridays.", "We deploy on Mondays."],
  ["We use npm.", "We use pnpm."],
  ["We ship weekly.", "We ship daily."],
  ["Call me Bob.", "Call me Robert."],
  ["Meet at nine.", "Meet at ten."],
  ["Prefers tabs.", "Prefers spaces."],
  ["We host on Heroku.", "We host on Fly."],
  ["Review by Ada.", "Review by Linus."],
  ["I drink tea.", "I drink coffee."],
  ["Merge with squash.", "Merge with rebase."],
];

/** Short pairs on two subjects. Written by hand, before `beginAlike`. */
export const shortApart: readonly StatementPair[] = [
  ["We test parsers.", "We ship parsers."],
  ["It is red.", "It is fast."],
  ["We deploy on Fridays.", "We meet on Fridays."],
  ["The office opens at nine.", "Our tests want Docker."],
  ["Call me Bob.", "Merge with rebase."],
];
