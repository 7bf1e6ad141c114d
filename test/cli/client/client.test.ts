import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "tap";
import {
  EXIT,
  EXIT_MEANINGS,
  CommandError,
} from "../../../cli/terminal/exit-codes.ts";
import { RestClient } from "../../../cli/client/rest-client.ts";
import { readTemplateFile } from "../../../cli/submission/template-file.ts";
import {
  submitJob,
  type Submission,
} from "../../../cli/submission/template-submission.ts";
import { ROOT } from "../../tidy/project-files.ts";
import { answeringService, type Answer } from "../answering-service.ts";
import { runCallsheet } from "../run-callsheet.ts";

const ID = "0198a1c2-1111-7111-8111-111111111111";
const FARM = {
  id: ID,
  name: "north",
  description: "",
  created_at: "2026-01-02T03:04:05.678Z",
};
const COUNTS = {
  total: 1,
  running: 0,
  assigned: 0,
  succeeded: 1,
  failed: 0,
  canceled: 0,
};
const JOB = {
  id: ID,
  farm_id: ID,
  name: "shot",
  status: "completed",
  task_counts: COUNTS,
  steps: [],
};
const job = (status: string, etag = ""): Answer => ({
  body: { ...JOB, status },
  ...(etag === "" ? {} : { headers: { etag } }),
});
const TOO_OFTEN: Answer = {
  status: 429,
  headers: { "retry-after": "0" },
  body: { title: "Too Many Requests" },
};

/** Result of a client call: its exit status and message, or its value. */
const ended = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CommandError) return [error.exitCode, error.message];
    throw error;
  }
};

test("the documented exit statuses are those of the command", async (t) => {
  const page = readFileSync(join(ROOT, "docs/commands.md"), "utf8");
  const rows = [...page.matchAll(/^\| ([0-9])\s+\| (.*?)\s*\|$/gm)].map(
    (row) => [Number(row[1]), row[2]],
  );
  const table = Object.entries(EXIT).map(([name, status]) => [
    status,
    EXIT_MEANINGS[name as keyof typeof EXIT],
  ]);
  t.same(rows, table);
  t.equal(
    new Set(Object.values(EXIT)).size,
    table.length,
    "each status has one meaning",
  );
  const { out } = await runCallsheet(["--help"]);
  for (const [status, means] of table)
    t.ok(out.includes(`  ${status}  ${String(means).replaceAll("`", "")}\n`));
});

test("an API key is sent with every request and never shown", async (t) => {
  const service = await answeringService({
    "GET /api/v1/farms": [
      { body: [FARM] },
      { status: 401, body: { title: "Unauthorized" } },
    ],
    "DELETE /api/v1/farms/x": [
      {
        status: 403,
        body: { title: "Forbidden", detail: "needs infra.manage" },
      },
    ],
  });
  t.teardown(() => service.close());
  const environment = { SVC_URL: service.url, SVC_API_KEY: "svc_secret" };
  t.match(await runCallsheet(["farms"], { environment }), { code: 0 });
  t.match(
    await runCallsheet(["farms", "--api-key", "svc_other"], { environment }),
    {
      code: 3,
      out: "",
      err: "Unauthorized\nThe API key is wrong, has expired or was revoked: create another one with callsheet keys create.\n",
    },
  );
  t.same(
    service.requests.map(({ headers }) => headers.authorization),
    ["Bearer svc_secret", "Bearer svc_other"],
  );
  await runCallsheet(["farms"], {
    environment: { ...environment, SVC_API_KEY: "" },
  });
  t.equal(service.requests.at(-1)?.headers.authorization, undefined);
  const help = await runCallsheet(["farms", "--help"], { environment });
  t.match(help.out, /--api-key <key>[^]*SVC_API_KEY/);
  t.notMatch(help.out, /svc_secret/);
  const broken = await runCallsheet(["farms", "--api-key", "a\nb"], {
    environment,
  });
  t.same(broken, {
    code: 2,
    out: "",
    err: "--api-key: must be printable ASCII without spaces\n",
  });

  const client = new RestClient(service.url);
  t.same(
    await ended(client.call("delete", "/farms/{id}", { path: { id: "x" } })),
    [
      EXIT.forbidden,
      "Forbidden: needs infra.manage\nYour account may not do this: ask an administrator (callsheet whoami shows your role).",
    ],
  );
});

test("an incomplete or invalid JSON response ends the command with a message", async (t) => {
  const service = await answeringService({
    "GET /api/v1/farms": [{ body: "<html>" }, { body: '[{"id"', breaks: true }],
    "GET /api/v1/usage-pools": [{ status: 502, body: "bad gateway" }],
    "GET /api/v1/compute-locations": [{ body: "", cuts: true }],
  });
  t.teardown(() => service.close());
  const client = new RestClient(service.url);
  t.same(await ended(client.call("get", "/farms")), [
    EXIT.failed,
    `the server at ${service.url} returned invalid JSON: <html>`,
  ]);
  const away = new RegExp(`^the server at ${service.url} cannot be reached: .`);
  for (const path of ["/farms", "/compute-locations"] as const) {
    const [status, message] = (await ended(client.call("get", path))) as [
      number,
      string,
    ];
    t.equal(status, EXIT.unavailable);
    t.match(message, away);
  }
  t.same(await ended(client.call("get", "/usage-pools")), [
    EXIT.unavailable,
    "the server answered 502: bad gateway",
  ]);
});

const contextFor = (url: string): Parameters<typeof submitJob>[0] => ({
  client: new RestClient(url),
  terminal: { errorColors: false },
  farm: null,
  queue: null,
});

const submission = async (template: string): Promise<Submission> => ({
  file: await readTemplateFile(template),
  farm: ID,
  queue: ID,
  dependsOn: [],
  parameters: new Map(),
  options: {},
});

test("a submission with a lost response is repeated with the same idempotency key", async (t) => {
  const catalog = {
    "GET /api/v1/farms": [{ body: [FARM] }],
    "GET /api/v1/queues": [
      { body: { items: [{ ...FARM, farm_id: ID }], total: 1 } },
    ],
  };
  const conflict: Answer = {
    status: 409,
    body: { title: "Conflict", detail: "is being answered" },
  };
  const starting: Answer = {
    status: 503,
    body: { title: "Service Unavailable" },
  };
  const service = await answeringService({
    ...catalog,
    "POST /api/v1/jobs": [
      { body: "", cuts: true },
      conflict,
      { status: 201, body: JOB },
    ],
  });
  t.teardown(() => service.close());
  const file = join(t.testdir({ "t.yaml": "name: x\n" }), "t.yaml");
  const told: string[] = [];
  const made = await submitJob(
    contextFor(service.url),
    await submission(file),
    () => told.push("away"),
  );
  t.equal(made.id, ID);
  t.same(told, ["away"]);
  const keys = service.requests
    .filter(({ method }) => method === "POST")
    .map(({ headers }) => headers["idempotency-key"]);
  t.equal(keys.length, 3);
  t.equal(new Set(keys).size, 1);
  t.match(keys[0], /^[0-9a-f-]{36}$/);

  for (const answer of [conflict, starting]) {
    const refusing = await answeringService({
      ...catalog,
      "POST /api/v1/jobs": [answer],
    });
    t.teardown(() => refusing.close());
    t.type(
      await ended(
        submitJob(contextFor(refusing.url), await submission(file), () => {}),
      ),
      Array,
    );
    t.equal(
      refusing.requests.length,
      3,
      "a rejected submission is not repeated",
    );
  }
});

test("waiting sends the ETag of the known state, and exits with the result", async (t) => {
  const service = await answeringService({
    [`GET /api/v1/jobs/${ID}`]: [
      job("running", 'W/"1"'),
      TOO_OFTEN,
      { status: 304, body: "" },
      job("running"),
      job("canceled", 'W/"3"'),
    ],
  });
  t.teardown(() => service.close());
  const environment = { SVC_URL: service.url };
  t.same(await runCallsheet(["job", ID, "wait"], { environment }), {
    code: 7,
    out: `${ID} canceled\n`,
    err: "",
  });
  t.same(
    service.requests.map(({ headers }) => headers["if-none-match"]),
    [undefined, 'W/"1"', 'W/"1"', 'W/"1"', undefined],
  );
});

test("each result of waiting has its own exit status", async (t) => {
  for (const [status, code] of [
    ["completed", 0],
    ["failed", 1],
    ["canceled", 7],
  ] as const) {
    const service = await answeringService({
      [`GET /api/v1/jobs/${ID}`]: [job(status)],
    });
    t.teardown(() => service.close());
    const ran = await runCallsheet([
      "job",
      ID,
      "--wait",
      "--json",
      "--url",
      service.url,
    ]);
    t.same([ran.code, JSON.parse(ran.out)], [code, { ...JOB, status }]);
  }
  const service = await answeringService({
    [`GET /api/v1/jobs/${ID}`]: [
      job("running"),
      { status: 404, body: { title: "Not Found" } },
    ],
  });
  t.teardown(() => service.close());
  t.match(
    await runCallsheet(["job", ID, "wait", "--url", service.url]),
    { code: 4 },
    "deleted in the meantime",
  );
});

test("waiting reports when the job is parked", async (t) => {
  const parked: Answer = {
    body: { ...JOB, status: "paused", park_reason: "failure limit reached" },
  };
  const service = await answeringService({
    [`GET /api/v1/jobs/${ID}`]: [
      parked,
      parked,
      job("running"),
      parked,
      job("completed"),
    ],
  });
  t.teardown(() => service.close());
  t.same(await runCallsheet(["job", ID, "wait", "--url", service.url]), {
    code: 0,
    out: `${ID} completed\n`,
    err: "paused: failure limit reached\npaused: failure limit reached\n",
  });
});

test("settings of a job are changed only by set", async (t) => {
  const queue = { ...FARM, name: "night", farm_id: ID };
  const service = await answeringService({
    [`GET /api/v1/jobs/${ID}`]: [job("pending")],
    [`PATCH /api/v1/jobs/${ID}`]: [job("pending")],
    "GET /api/v1/queues": [{ body: { items: [queue], total: 1 } }],
  });
  t.teardown(() => service.close());
  const run = (...args: readonly string[]): ReturnType<typeof runCallsheet> =>
    runCallsheet(["job", ID, ...args, "--url", service.url]);
  const options = [
    "--priority",
    "-2",
    "--queue",
    "night",
    "--max-attempts",
    "1",
  ];
  t.same(
    await run(
      "set",
      ...options,
      "--retry-delay-seconds",
      "0",
      "--failure-limit",
      "9",
    ),
    {
      code: 0,
      out: `${ID} pending\n`,
      err: "",
    },
  );
  const [patch] = service.requests.filter(({ method }) => method === "PATCH");
  t.same(JSON.parse(patch?.body ?? ""), {
    priority: -2,
    queue_id: ID,
    max_attempts: 1,
    retry_delay_seconds: 0,
    failure_limit: 9,
  });
  service.requests.length = 0;
  t.match(await run("set"), {
    code: 2,
    err: "nothing to set; give an option\n",
  });
  t.match(await run("cancel", "--priority", "1"), {
    code: 2,
    err: /unknown option '--priority'/,
  });
  t.match(await run("--priority", "1"), { code: 2 });
  t.match(await run("delete", "--wait"), {
    code: 2,
    err: /unknown option '--wait'/,
  });
  t.equal(service.requests.length, 0);
});

test("a task is shown with its attempts, canceled and retried", async (t) => {
  const task = {
    id: "a-task",
    job_id: ID,
    name: "Render",
    status: "failed",
    parameters: { Frame: "7" },
    failure_reason: "failed (exit 3)",
    updated_at: "2026-01-02T03:04:05.678Z",
  };
  const attempt = {
    attempt_number: 1,
    max_rss_mib: 512,
    cpu_seconds: 61.5,
    status: "failed",
    worker_id: "w1",
    exit_code: 3,
    message: "failed (exit 3)",
    started_at: "2026-01-02T03:04:05.678Z",
    ended_at: "2026-01-02T03:05:05.678Z",
  };
  const reclaimed = {
    ...attempt,
    attempt_number: 2,
    exit_code: undefined,
    max_rss_mib: undefined,
    cpu_seconds: undefined,
    message: "worker went offline",
    reclaimed: true,
  };
  const service = await answeringService({
    "GET /api/v1/tasks/a-task": [{ body: task }],
    "GET /api/v1/tasks/a-task/attempts": [
      { body: { items: [attempt, reclaimed] } },
    ],
    [`GET /api/v1/jobs/${ID}`]: [job("failed")],
    "GET /api/v1/workers/w1": [{ body: { id: "w1", name: "render-017" } }],
    "POST /api/v1/tasks/a-task/retry": [
      {
        status: 202,
        body: {
          task_id: "a-task",
          status: "ready",
          retried: 1,
          dependents: [],
        },
      },
    ],
    "POST /api/v1/tasks/a-task/cancel": [
      { status: 409, body: { title: "Conflict", detail: "has ended" } },
    ],
  });
  t.teardown(() => service.close());
  const run = (...args: readonly string[]): ReturnType<typeof runCallsheet> =>
    runCallsheet(["task", "a-task", ...args, "--url", service.url]);
  t.same(await run("-o", "wide"), {
    code: 0,
    out: [
      "status      failed",
      "task        a-task",
      "name        Render",
      `job         shot (${ID})`,
      "parameters  Frame=7",
      "updated     2026-01-02T03:04:05.678Z",
      "reason      failed (exit 3)",
      "",
      "ATTEMPT  STATUS    EXIT   MEMORY     CPU  STARTED               ENDED                 WORKER      MESSAGE              RULE",
      "      1  failed       3  512 MiB  61.5 s  2026-01-02T03:04:05Z  2026-01-02T03:05:05Z  render-017  failed (exit 3)",
      "      2  canceled                         2026-01-02T03:04:05Z  2026-01-02T03:05:05Z  render-017  worker went offline",
      "",
    ].join("\n"),
    err: "2 attempts\n",
  });
  t.same(JSON.parse((await run("--json")).out), {
    ...task,
    attempts: [attempt, JSON.parse(JSON.stringify(reclaimed))],
  });
  t.same(await run("retry"), {
    code: 0,
    out: "a-task ready, 1 task retried\n",
    err: "",
  });
  t.same(await run("cancel"), {
    code: 5,
    out: "",
    err: "Conflict: has ended\n",
  });
});
