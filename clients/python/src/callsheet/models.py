"""Types of the REST API, made from http/openapi/openapi.yaml by "npm run generate". Do not edit.

Replies are plain dictionaries. A later version of the service may add members and values: ignore unknown ones.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

__all__ = [
    "AmountDefault",
    "AmountsGate",
    "ApiKey",
    "ApiKeyInput",
    "AppliedRetryRule",
    "AppliedRetryRuleRaised",
    "Attempt",
    "AttemptList",
    "AttemptOutage",
    "AttemptSeconds",
    "AuditDecision",
    "AuditEntry",
    "AuditOutcome",
    "AuditPage",
    "AuthSource",
    "BeforeAfter",
    "BookedAmount",
    "BookedAmounts",
    "BookedShare",
    "BulkIds",
    "BulkProblem",
    "BulkResult",
    "BulkResults",
    "CanaryGate",
    "CanaryTasks",
    "CloneJobInput",
    "Cluster",
    "ClusterNode",
    "ClusterQuorum",
    "ClusterStanding",
    "CommandGrant",
    "CommandGrantInput",
    "CommandPreview",
    "CommandSecret",
    "CommandToken",
    "ComputeLocation",
    "ComputeLocationInput",
    "ConcurrencyCap",
    "ConnectedJob",
    "CoresGate",
    "Count",
    "DependentPage",
    "DependentPageItemsItem",
    "Description",
    "DiagnosticLevel",
    "DiagnosticRecord",
    "DiagnosticRecords",
    "DisableMode",
    "DisabledUntil",
    "DisplayName",
    "DryRun",
    "DryRunStep",
    "DryRunWorkers",
    "EffectiveRetry",
    "EnvironmentTemplate",
    "FailureGroup",
    "FailureLimit",
    "FailureSummary",
    "Farm",
    "FarmAttemptPage",
    "FarmCapGate",
    "FarmHistory",
    "FarmInput",
    "FarmNow",
    "FarmOverview",
    "FarmOverviewHour",
    "FarmWaiting",
    "FileFilter",
    "Gate",
    "Health",
    "HeldStepGate",
    "HistorySeries",
    "IneligibleReason",
    "Job",
    "JobBulk",
    "JobBulkFilter",
    "JobCapGate",
    "JobDetail",
    "JobDetailOwnRetry",
    "JobEnvironment",
    "JobFailures",
    "JobFailuresAxesItem",
    "JobGate",
    "JobGraph",
    "JobOrder",
    "JobPage",
    "JobPageSummary",
    "JobProduct",
    "JobRetry",
    "JobRetrySelection",
    "JobSkip",
    "JobSkipSelection",
    "JobStatus",
    "JobSubmission",
    "JobSummary",
    "JobUpdate",
    "Label",
    "LogChunk",
    "LogPage",
    "LogPosition",
    "LoggedOut",
    "Login",
    "MaxAttempts",
    "MaxConcurrent",
    "MaxConcurrentTasks",
    "Measures",
    "Name",
    "NamedCaps",
    "NamedCapsInput",
    "NamedResource",
    "NamedWorker",
    "NearestMiss",
    "NewApiKey",
    "NewWebhook",
    "NewWorkerToken",
    "NodeRole",
    "OptionalCanaryTasks",
    "OptionalConcurrencyCap",
    "OptionalFailureLimit",
    "OptionalMaxAttempts",
    "OptionalRetryDelaySeconds",
    "OrderGate",
    "Outage",
    "OutageGate",
    "OutageHoldSeconds",
    "OutageHolds",
    "OutageJobs",
    "OutageKind",
    "OutagePlace",
    "OutageProbe",
    "OutageWindowSeconds",
    "OutageWorkers",
    "Output",
    "OutputPage",
    "OutputPreview",
    "OwnerCapGate",
    "PassedJob",
    "PasswordChange",
    "PasswordInput",
    "PausedJobGate",
    "PausedQueueGate",
    "Permission",
    "PointedError",
    "PoolHolder",
    "PoolHolderSince",
    "PoolWaiter",
    "Preemption",
    "Preset",
    "PresetDetail",
    "Preview",
    "PreviewImage",
    "PreviewPage",
    "Principal",
    "PrincipalUpdate",
    "Priority",
    "PriorityFirst",
    "Problem",
    "Product",
    "ProductConstraints",
    "ProductFormat",
    "ProductInput",
    "ProductJobInput",
    "ProductName",
    "ProductParameter",
    "ProductReplacement",
    "ProductRevision",
    "ProductSource",
    "ProductSummary",
    "ProductTemplate",
    "ProductUserInterface",
    "ProjectCapGate",
    "Providers",
    "QuarantineGate",
    "QuarantineGateDoubtedItem",
    "Queue",
    "QueueCapGate",
    "QueueEnvironment",
    "QueueEnvironmentCheck",
    "QueueEnvironmentInput",
    "QueueInput",
    "QueuePage",
    "QueuePolicy",
    "QueuePosition",
    "QueueReplacement",
    "QueueSettings",
    "QueueShare",
    "QueueShareAheadItem",
    "QueueSummary",
    "RaisedAmount",
    "Readiness",
    "ReadinessChecks",
    "ReadinessDetails",
    "ReadinessDetailsStore",
    "RejectedWorkers",
    "RetriedDependent",
    "RetriedStep",
    "RetryAction",
    "RetryDelaySeconds",
    "RetryGate",
    "RetryRule",
    "RetryRuleLevel",
    "RetryRuleMatch",
    "RetryRuleName",
    "RetryRulesInput",
    "Role",
    "SchedulerGate",
    "Settings",
    "SettingsAuth",
    "SettingsBus",
    "SettingsScheduler",
    "SettingsVersion",
    "SettingsWeb",
    "SettingsWebJobLinksItem",
    "ShareWeights",
    "SharedBy",
    "ShortAmount",
    "SkipReason",
    "SkippedStep",
    "SlotHolder",
    "Start",
    "StartGate",
    "StartPresence",
    "StartReadiness",
    "Stats",
    "StatsCores",
    "StatsTasks",
    "StatsWorkers",
    "Step",
    "StepCapGate",
    "StepCaps",
    "StepChunks",
    "StepHold",
    "StepHoldReason",
    "StepList",
    "StepStatus",
    "StorageLocation",
    "StorageLocationInput",
    "StorageRoots",
    "StoreFile",
    "SubmittedEnvironments",
    "Task",
    "TaskAxis",
    "TaskAxisRunsItem",
    "TaskBulk",
    "TaskBulkFilter",
    "TaskCancellation",
    "TaskCounts",
    "TaskDetails",
    "TaskExplanation",
    "TaskGrid",
    "TaskGridStepsItem",
    "TaskPage",
    "TaskRetry",
    "TaskSkip",
    "TaskSkipNote",
    "TaskSkipReason",
    "TaskStatus",
    "Timestamp",
    "UpstreamJobGate",
    "UpstreamProgress",
    "UpstreamStepGate",
    "UsageHalfLifeSeconds",
    "UsagePool",
    "UsagePoolGate",
    "UsagePoolHold",
    "UsagePoolInput",
    "UsagePoolUse",
    "UsagePoolUseHistory",
    "User",
    "UserInput",
    "UserUpdate",
    "Username",
    "Version",
    "WaitingGroup",
    "WaitingReason",
    "Webhook",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookEventType",
    "WebhookFormat",
    "WebhookFormatName",
    "WebhookInput",
    "WebhookReplacement",
    "WebhookUrl",
    "Worker",
    "WorkerAttempt",
    "WorkerAttemptPage",
    "WorkerBooking",
    "WorkerBulk",
    "WorkerBulkFilter",
    "WorkerCredential",
    "WorkerDetail",
    "WorkerDetailHistory",
    "WorkerDisable",
    "WorkerDisabling",
    "WorkerDoubt",
    "WorkerFailures",
    "WorkerHistory",
    "WorkerPage",
    "WorkerRetry",
    "WorkerRetryJobsItem",
    "WorkerStanding",
    "WorkerStatus",
    "WorkerStepEvidence",
    "WorkerStepFailures",
    "WorkerSummary",
    "WorkerToken",
    "WorkerTokenInput",
    "WorkerTokenStatus",
    "WorkerWithAttempts",
    "WorkersGate",
    "WorkersOutlook",
]


Timestamp = str


Name = str


Label = str


Description = str


MaxAttempts = int


RetryDelaySeconds = int


FailureLimit = int


OptionalMaxAttempts = Optional[int]


OptionalRetryDelaySeconds = Optional[int]


CanaryTasks = bool


OptionalCanaryTasks = Optional[bool]


OptionalFailureLimit = Optional[int]


Priority = int


MaxConcurrentTasks = int


Count = int


class _PointedErrorRequired(TypedDict):
    """The schema PointedError."""

    pointer: str
    """JSON pointer into the submitted document, or `/query/<name>`, `/path/<name>` and `/header/<name>` for a
    parameter of the request."""
    detail: str
    """The error. For an expression, three lines: the message, the line of the expression, and `~` with `^` below
    the position."""


class PointedError(_PointedErrorRequired, total=False):
    """The schema PointedError."""

    line: int
    """From 1."""
    column: int
    """From 1."""


class _ProblemRequired(TypedDict):
    """RFC 7807."""

    type: Literal["about:blank"]
    title: str
    status: int
    detail: str
    instance: str
    """The request id."""


class Problem(_ProblemRequired, total=False):
    """RFC 7807."""

    errors: List[PointedError]


class Health(TypedDict):
    """The schema Health."""

    status: Literal["ok"]


class _ReadinessChecksRequired(TypedDict):
    """`ok`, or the error."""

    store: str
    bus: str


class ReadinessChecks(_ReadinessChecksRequired, total=False):
    """`ok`, or the error."""

    cluster: str
    """Only on a node of a cluster. `ok` if it owns the cluster or follows the owner."""


class StoreFile(TypedDict):
    """A store file never shrinks by itself; pages of deleted data are free and are reused."""

    file_bytes: int
    page_bytes: int
    used_pages: int
    free_pages: int


class ReadinessDetailsStore(TypedDict):
    """The schema ReadinessDetailsStore."""

    state: StoreFile
    logs: StoreFile


NodeRole = Literal["owner", "follower", "candidate", "suspended", "ended", "unreachable"]


class _ClusterStandingRequired(TypedDict):
    """This node in its cluster. Absent on a single node."""

    name: str
    """Name of the cluster."""
    node: str
    role: NodeRole
    epoch: int
    position: int
    lag_records: int
    lag_ms: int
    is_current: bool


class ClusterStanding(_ClusterStandingRequired, total=False):
    """This node in its cluster. Absent on a single node."""

    owner: str
    """The node that owns the cluster; absent if there is none."""


class _ReadinessDetailsRequired(TypedDict):
    """The schema ReadinessDetails."""

    stopping: bool
    """True if the service is stopping; it is not ready then."""
    store: ReadinessDetailsStore


class ReadinessDetails(_ReadinessDetailsRequired, total=False):
    """The schema ReadinessDetails."""

    cluster: ClusterStanding


class Readiness(TypedDict):
    """The schema Readiness."""

    status: Literal["ok", "degraded"]
    checks: ReadinessChecks
    """`ok`, or the error."""
    details: ReadinessDetails


class _ClusterNodeRequired(TypedDict):
    """The schema ClusterNode."""

    name: str
    role: NodeRole
    position: int
    """Position of the last record of the log that it has applied."""
    epoch: int
    lag_records: int
    """Records of the owner that it has not applied."""
    lag_ms: int
    """Time that it took to apply the last record of the owner, or has taken so far."""
    is_current: bool
    """False if its reads are marked as stale."""
    version: str
    """Empty for a node that was never seen."""
    http_addr: str
    """`http.addr` of the node."""


class ClusterNode(_ClusterNodeRequired, total=False):
    """The schema ClusterNode."""

    seen_at: str
    """Absent for a node that was not seen since the answering node has started."""


class ClusterQuorum(TypedDict):
    """The schema ClusterQuorum."""

    present: int
    """Nodes that were seen in the last seconds."""
    needed: int


class _ClusterRequired(TypedDict):
    """The schema Cluster."""

    name: str
    node: str
    """The node that answers."""
    log_id: str
    """Id of the log; empty before the node has read it."""
    epoch: int
    """Rises with each takeover."""
    nodes: List[ClusterNode]
    """By name. All nodes of `cluster.peers`, and others that announce themselves."""
    quorum: ClusterQuorum


class Cluster(_ClusterRequired, total=False):
    """The schema Cluster."""

    log_leader: str
    """The node whose nats-server leads the stream of the log; absent if it is not known."""
    owner: str
    """The node that owns the cluster; absent if there is none."""


Role = Literal["read-only", "user", "operator", "admin"]


Permission = Literal["jobs.read", "jobs.read.all", "jobs.write", "jobs.submit_as", "workers.read", "workers.manage", "infra.read", "infra.manage", "products.read", "products.manage", "diagnostics.read", "users.read", "users.manage", "apikeys.self", "apikeys.admin", "isolation.manage"]


AuthSource = Literal["local", "ldap", "oidc"]


class _PrincipalRequired(TypedDict):
    """The schema Principal."""

    subject: str
    username: str
    display_name: str
    roles: List[Role]
    """Exactly one."""
    permissions: List[Permission]
    """Permissions of the roles. Clients show only what these allow."""
    kind: str
    """How the principal was authenticated: `session`, `api_key`, or `anonymous` while authentication is off."""


class Principal(_PrincipalRequired, total=False):
    """The schema Principal."""

    auth_source: AuthSource


class StartPresence(TypedDict):
    """Number of workers, a second or two old, and of jobs that the user may see."""

    workers: Count
    jobs: Count


class SettingsAuth(TypedDict):
    """The schema SettingsAuth."""

    password_length_min: int
    """Minimum number of characters of a new password (`auth.password_length_min`)."""


class _SettingsBusRequired(TypedDict):
    """How workers reach the bus, for their `bus.url`."""

    urls: List[str]
    """Addresses of the bus, never with credentials. Empty if the bus listens on every address of the host of the
    service, at `port`, or if its addresses contain credentials; then `port` is absent."""
    is_local: bool
    """True if only workers on the host of the service reach it."""


class SettingsBus(_SettingsBusRequired, total=False):
    """How workers reach the bus, for their `bus.url`."""

    port: int
    """Port of the managed nats-server."""
    authenticated: bool
    """False if a client without credentials can act as a worker on the bus or read replies to workers. Absent while
    the check of an external bus has had no result."""


class SettingsWebJobLinksItem(TypedDict):
    """The schema SettingsWebJobLinksItem."""

    name: str
    url: str


class SettingsWeb(TypedDict):
    """The schema SettingsWeb."""

    job_links: List[SettingsWebJobLinksItem]
    """Links on the page of a job (`web.job_links`). `{job.id}`, `{job.name}`, `{job.owner}`, `{job.project}` and
    `{parameter.NAME}` in the URL are to be replaced by percent-encoded values."""


class SettingsScheduler(TypedDict):
    """The schema SettingsScheduler."""

    heartbeat_timeout_seconds: float
    """A worker that sends nothing for this time is offline (`scheduler.heartbeat_timeout`)."""
    reclaim_after_seconds: float
    """The tasks of a worker that sends nothing for this time run again on other workers
    (`scheduler.reclaim_after`)."""


class Settings(TypedDict):
    """The schema Settings."""

    auth: SettingsAuth
    bus: SettingsBus
    """How workers reach the bus, for their `bus.url`."""
    web: SettingsWeb
    scheduler: SettingsScheduler


NamedCaps = Dict[str, int]


BookedAmounts = List[str]


AmountDefault = Literal["none", "core_share"]


QueuePolicy = Literal["fifo", "balanced", "weighted"]


SharedBy = Literal["job", "owner", "project", "queue"]


ShareWeights = Dict[str, float]


UsageHalfLifeSeconds = int


PriorityFirst = bool


OutageHolds = bool


OutageJobs = int


OutageWorkers = int


OutageWindowSeconds = int


OutageHoldSeconds = int


class _FarmRequired(TypedDict):
    """The schema Farm."""

    id: str
    name: str
    description: str
    max_concurrent_tasks: MaxConcurrentTasks
    created_at: Timestamp
    updated_at: Timestamp


class Farm(_FarmRequired, total=False):
    """The schema Farm."""

    owner_caps: NamedCaps
    project_caps: NamedCaps
    max_attempts: MaxAttempts
    retry_delay_seconds: RetryDelaySeconds
    failure_limit: FailureLimit
    canary_tasks: CanaryTasks
    booked_amounts: BookedAmounts
    amount_default: AmountDefault
    policy_version: int
    """Rises with each change of `booked_amounts` and `amount_default`. Bookings and explanations name it. Absent
    from a farm that never booked amounts."""
    queue_policy: QueuePolicy
    shared_by: SharedBy
    share_weights: ShareWeights
    usage_half_life_seconds: UsageHalfLifeSeconds
    priority_first: PriorityFirst
    queue_policy_version: int
    """Rises with each change of the five fields before. Bookings and explanations name it. Absent from a farm that
    always had the policy fifo."""
    quarantine: bool
    """Whether workers that fail tasks which succeed elsewhere are put in quarantine. Absent from a farm where it
    was never on."""
    quarantine_version: int
    """Rises with each change of `quarantine`. Quarantines name it. Absent like `quarantine`."""
    outage_holds: OutageHolds
    outage_jobs: OutageJobs
    outage_workers: OutageWorkers
    outage_window_seconds: OutageWindowSeconds
    outage_hold_seconds: OutageHoldSeconds
    outage_version: int
    """Rises with each change of the five fields before. Outages name it. Absent like them."""


RetryRuleName = str


class RetryRuleMatch(TypedDict, total=False):
    """Conditions, of which there is at least one. All of them must hold."""

    exit_codes: List[int]
    """One of these exit codes."""
    log: str
    """Pattern in the syntax of RE2 that one of the last 200 lines of the log, or the failure message, contains."""
    out_of_memory: bool
    """True if the kernel must have ended a process of the task for lack of memory."""


RetryAction = Literal["requeue", "fail_fast", "avoid_worker", "raise"]


class _RetryRuleRequired(TypedDict):
    """A rule for failed attempts. The first rule that matches, and that has applied to the task less than
    `max_times`, decides: rules of the job, then of its queue, then of the usage pools of the step."""

    name: RetryRuleName
    match: RetryRuleMatch
    action: RetryAction


class RetryRule(_RetryRuleRequired, total=False):
    """A rule for failed attempts. The first rule that matches, and that has applied to the task less than
    `max_times`, decides: rules of the job, then of its queue, then of the usage pools of the step."""

    max_times: int
    """How often the rule applies to one task; for `raise` also how often it raises the amount of a step. Defaults:
    100 for `requeue`, 3 for `avoid_worker` and `raise`. Not with `fail_fast`."""
    backoff_seconds: int
    """Delay of the next attempt. Defaults: 60 for `requeue`, 0 for `avoid_worker` and `raise`. Not with
    `fail_fast`."""
    pool: str
    """Usage pool that is held back as well. Only with `requeue`. Rules of a usage pool hold back that pool without
    this member."""
    amount: str
    """Amount that the step requests from then on, such as `amount.worker.memory`. Only with `raise`."""
    factor: float
    """The request is multiplied by it. Only with `raise`."""
    max_amount: float
    """Highest request. Only with `raise`. Absent means no limit."""


class JobSummary(TypedDict):
    """The schema JobSummary."""

    total: Count
    pending: Count
    blocked: Count
    paused: Count
    running: Count
    completed: Count
    failed: Count
    canceled: Count


class QueueSummary(TypedDict):
    """Jobs and tasks of a queue. Present in the list of queues if `summary` is true."""

    jobs: JobSummary
    tasks_ready: int
    """Ready tasks, including those of paused jobs."""
    tasks_live: int
    """Assigned and running tasks, which count against `max_concurrent_tasks`."""


class _QueueRequired(TypedDict):
    """The schema Queue."""

    id: str
    farm_id: str
    name: str
    description: str
    priority: Priority
    max_concurrent_tasks: MaxConcurrentTasks
    paused: bool
    created_at: Timestamp
    updated_at: Timestamp


class Queue(_QueueRequired, total=False):
    """The schema Queue."""

    owner_caps: NamedCaps
    project_caps: NamedCaps
    max_attempts: MaxAttempts
    retry_delay_seconds: RetryDelaySeconds
    failure_limit: FailureLimit
    canary_tasks: CanaryTasks
    retry_rules: List[RetryRule]
    """Rules for failed attempts (docs/retry-rules.md). Absent without rules."""
    retry_rules_version: str
    """Version of the rules, which decisions name. Absent without rules."""
    preempt_after_seconds: int
    """Seconds after which a task that waits takes back running tasks of preemptible queues
    (docs/policy.md#preemption). Absent: never."""
    preemptible: bool
    """Present and true if other queues may take back running tasks of the queue."""
    preemption_version: int
    """Rises with each change of the two fields before. Attempts that were taken back for the queue and explanations
    name it. Absent from a queue that never had them."""
    run_as_user: str
    """Account on the worker machines that runs the tasks; absent means the worker's own."""
    run_as_group: str
    """Group that replaces the primary group of the account; absent means that group."""
    isolation_warning: str
    """Why the account protects less than it seems: clients without credentials can act on the bus. Absent for a
    queue without an account, on a bus with authentication, and while the check of an external bus has had no
    result."""
    summary: QueueSummary


class ComputeLocation(TypedDict):
    """The schema ComputeLocation."""

    id: str
    name: str
    description: str
    worker_count: int
    """Online workers of all farms that report exactly this name."""
    created_at: Timestamp
    updated_at: Timestamp


class StartReadiness(Readiness):
    """Absent if the checks take longer than a second. `GET /readyz` waits for them."""


class _StartRequired(TypedDict):
    """The schema Start."""

    principal: Principal
    presence: StartPresence
    """Number of workers, a second or two old, and of jobs that the user may see."""
    settings: Settings
    farms: List[Farm]
    queues: List[Queue]
    """All queues, oldest first."""
    compute_locations: List[ComputeLocation]


class Start(_StartRequired, total=False):
    """The schema Start."""

    readiness: StartReadiness
    """Absent if the checks take longer than a second. `GET /readyz` waits for them."""


class Version(TypedDict):
    """The schema Version."""

    version: str
    commit: str
    built_at: str
    node: str
    api: Literal["1"]


OutageKind = Literal["usage pool", "compute location"]


class OutagePlace(TypedDict):
    """What has an outage."""

    kind: OutageKind
    name: str
    """Of a compute location, it may be empty for workers that report none."""


class OutageProbe(TypedDict):
    """The attempt that is tried. Absent if none is running."""

    attempt_id: str
    job_id: str


class _OutageRequired(TypedDict):
    """An outage that many jobs share (docs/outages.md)."""

    kind: OutageKind
    name: str
    place: str
    """Kind and name in words."""
    status: Literal["held", "waiting for a probe", "probing"]
    """No task starts while it is held. Then one task is tried as soon as a worker has room, and decides whether the
    outage has ended."""
    message: str
    """The message of one of the failures."""
    since: Timestamp
    held_until: Timestamp
    times: int
    """Number of holds in a row."""
    failures: Count
    jobs: Count
    workers: Count
    policy_version: int
    """The `outage_version` of the farm at that time."""


class Outage(_OutageRequired, total=False):
    """An outage that many jobs share (docs/outages.md)."""

    probe: OutageProbe
    """The attempt that is tried. Absent if none is running."""


class AttemptOutage(TypedDict):
    """Why the failure of an attempt does not count. It belongs to an outage."""

    kind: OutageKind
    name: str
    message: str
    policy_version: int
    sentence: str


NamedCapsInput = Optional[Dict[str, int]]


class _FarmInputRequired(TypedDict):
    """Missing or null retry fields inherit the settings of the server. Without `booked_amounts`, `amount_default`,
    `quarantine`, `owner_caps`, `project_caps`, a field of the queue policy or one of outages, a farm keeps its own.
    """

    name: Name


class FarmInput(_FarmInputRequired, total=False):
    """Missing or null retry fields inherit the settings of the server. Without `booked_amounts`, `amount_default`,
    `quarantine`, `owner_caps`, `project_caps`, a field of the queue policy or one of outages, a farm keeps its own.
    """

    description: Description
    max_concurrent_tasks: MaxConcurrentTasks
    owner_caps: NamedCapsInput
    project_caps: NamedCapsInput
    max_attempts: OptionalMaxAttempts
    retry_delay_seconds: OptionalRetryDelaySeconds
    failure_limit: OptionalFailureLimit
    canary_tasks: OptionalCanaryTasks
    booked_amounts: BookedAmounts
    amount_default: AmountDefault
    queue_policy: QueuePolicy
    shared_by: SharedBy
    share_weights: ShareWeights
    usage_half_life_seconds: UsageHalfLifeSeconds
    priority_first: PriorityFirst
    quarantine: bool
    outage_holds: OutageHolds
    outage_jobs: OutageJobs
    outage_workers: OutageWorkers
    outage_window_seconds: OutageWindowSeconds
    outage_hold_seconds: OutageHoldSeconds


RetryRulesInput = Optional[List[RetryRule]]


class _QueueSettingsRequired(TypedDict):
    """Missing or null retry fields inherit the settings of the farm."""

    name: Name


class QueueSettings(_QueueSettingsRequired, total=False):
    """Missing or null retry fields inherit the settings of the farm."""

    description: Description
    priority: Priority
    max_concurrent_tasks: MaxConcurrentTasks
    owner_caps: NamedCapsInput
    project_caps: NamedCapsInput
    paused: bool
    max_attempts: OptionalMaxAttempts
    retry_delay_seconds: OptionalRetryDelaySeconds
    failure_limit: OptionalFailureLimit
    canary_tasks: OptionalCanaryTasks
    retry_rules: RetryRulesInput
    """Rules for failed attempts (docs/retry-rules.md). An empty list or null removes them; a request without this
    key keeps the stored ones."""
    preempt_after_seconds: Optional[int]
    """Seconds after which a task that waits takes back running tasks of preemptible queues
    (docs/policy.md#preemption); null means never. A replacement without this key keeps the stored value."""
    preemptible: bool
    """Whether other queues may take back running tasks of the queue. A replacement without this key keeps the
    stored value."""
    run_as_user: Optional[str]
    """Account on the worker machines that runs the tasks; null means the worker's own. A replacement without this
    key keeps the stored value. Each worker resolves the name itself and rejects privileged accounts."""
    run_as_group: Optional[str]
    """Group that replaces the primary group of the account; null means that group. Requires `run_as_user`. A
    replacement without this key keeps the stored value."""


class QueueInput(QueueSettings):
    """The schema QueueInput."""

    farm_id: str


class QueueReplacement(QueueSettings, total=False):
    """The schema QueueReplacement."""

    farm_id: str


class _EnvironmentTemplateRequired(TypedDict):
    """An OpenJD environment template (`environment-2023-09`)."""

    template: str
    """The template, unchanged."""


class EnvironmentTemplate(_EnvironmentTemplateRequired, total=False):
    """An OpenJD environment template (`environment-2023-09`)."""

    format: Literal["yaml", "json"]


class QueueEnvironmentInput(EnvironmentTemplate, total=False):
    """The schema QueueEnvironmentInput."""

    priority: int
    """Environments with a lower number are entered first. Absent: a new one is entered last, an existing one keeps
    its place."""


SettingsVersion = str


class QueueEnvironment(TypedDict):
    """The schema QueueEnvironment."""

    id: str
    queue_id: str
    name: str
    """Name of the environment in its template."""
    priority: int
    """Environments with a lower number are entered first."""
    format: Literal["yaml", "json"]
    template: str
    created_at: Timestamp
    updated_at: Timestamp
    settings_version: SettingsVersion


class ProductConstraints(TypedDict):
    """The schema ProductConstraints."""

    allowed_values: Optional[List[Any]]
    """Values like `default`."""
    min_value: Optional[Union[float, str]]
    """A number; as text if it is an integer beyond 2^53."""
    max_value: Optional[Union[float, str]]
    min_length: Optional[int]
    """In characters, or elements of a list."""
    max_length: Optional[int]
    item: Optional[ProductConstraints]
    """Constraints on each element of a list; null for other types."""


class ProductUserInterface(TypedDict):
    """The schema ProductUserInterface."""

    control: str
    """The control of the template, or the one that its type has by default."""
    label: Optional[str]
    group_label: Optional[str]
    decimals: Optional[int]
    single_step_delta: Optional[float]


class FileFilter(TypedDict):
    """The schema FileFilter."""

    label: str
    patterns: List[str]


class ProductParameter(ProductConstraints):
    """The schema ProductParameter."""

    name: str
    type: str
    description: Optional[str]
    default: Any
    """In JSON: a number for INT and FLOAT (text beyond 2^53), a boolean for BOOL, an array for a list, text for the
    others; null if the parameter has none."""
    required: bool
    """True if there is no default."""
    object_type: Optional[str]
    data_flow: Optional[str]
    user_interface: ProductUserInterface
    file_filters: Optional[List[FileFilter]]
    file_filter_default: Optional[FileFilter]


class QueueEnvironmentCheck(TypedDict):
    """The schema QueueEnvironmentCheck."""

    name: str
    parameters: List[ProductParameter]
    """Job parameters of all environments of the queue, with this one."""


class JobEnvironment(TypedDict):
    """The schema JobEnvironment."""

    name: str
    origin: Literal["queue", "submission"]
    """From the queue, or sent with the job."""
    format: Literal["yaml", "json"]
    template: str


SubmittedEnvironments = List[EnvironmentTemplate]


class _JobSubmissionRequired(TypedDict):
    """A job template with environment templates."""

    template: str
    """The job template, unchanged."""


class JobSubmission(_JobSubmissionRequired, total=False):
    """A job template with environment templates."""

    format: Literal["yaml", "json"]
    environments: SubmittedEnvironments


class QueuePage(TypedDict):
    """The schema QueuePage."""

    items: List[Queue]
    total: Count
    limit: int
    offset: int


class _ComputeLocationInputRequired(TypedDict):
    """The schema ComputeLocationInput."""

    name: str
    """The comparison is case-sensitive."""


class ComputeLocationInput(_ComputeLocationInputRequired, total=False):
    """The schema ComputeLocationInput."""

    description: Description


StorageRoots = Dict[str, str]


class StorageLocation(TypedDict):
    """The schema StorageLocation."""

    id: str
    name: str
    description: str
    roots: StorageRoots
    type: Literal["filesystem", "s3", "mixed"]
    """Type of its roots; `filesystem` without roots."""
    created_at: Timestamp
    updated_at: Timestamp


class _StorageLocationInputRequired(TypedDict):
    """The schema StorageLocationInput."""

    name: Name
    """The comparison is case-sensitive."""


class StorageLocationInput(_StorageLocationInputRequired, total=False):
    """The schema StorageLocationInput."""

    description: Description
    roots: StorageRoots
    type: Any
    """Derived from the roots."""


MaxConcurrent = int


class UsagePoolHold(TypedDict):
    """A usage pool that gives out no slots after a shortage that a retry rule has found."""

    since: Timestamp
    until: Timestamp
    times: int
    """Number of shortages in a row."""
    reason: str
    version: str
    """Version of the list of rules."""


class _UsagePoolRequired(TypedDict):
    """The schema UsagePool."""

    id: str
    name: str
    max_concurrent: MaxConcurrent
    in_use: int
    """Slots held by assigned and running tasks of all farms."""
    available: int
    """`effective_slots`, or `max_concurrent` without it, minus `in_use`, never below 0."""
    created_at: Timestamp
    updated_at: Timestamp


class UsagePool(_UsagePoolRequired, total=False):
    """The schema UsagePool."""

    counts: Literal["amounts", "hosts"]
    """What takes its slots (docs/policy.md#what-a-pool-counts). Absent if each task takes one."""
    server_hint: str
    """Free text for diagnostics."""
    retry_rules: List[RetryRule]
    """Rules for failed attempts (docs/retry-rules.md). Absent without rules."""
    retry_rules_version: str
    """Version of the rules, which decisions name. Absent without rules."""
    hold: UsagePoolHold
    """Only while the pool is held back after a shortage."""
    effective_slots: int
    """The slots that the pool has now: the smaller of `max_concurrent` and `measured_slots`, or `max_concurrent` if
    the measured value is stale. Absent if the pool has no source, or its source was not asked yet."""
    measured_slots: int
    """The latest value of the source of the pool (docs/policy.md#measured-pools): the slots that the farms may use
    in all, with those that they hold. Absent without one."""
    measured_at: Timestamp
    """Time of `measured_slots`."""
    measured_stale: bool
    """True if `measured_slots` is older than the maximum age, and ignored. Present with it."""
    measured_error: str
    """Why the latest measurement has failed. Absent after one that succeeded."""
    measured_error_since: Timestamp
    """Time of the first measurement that failed with `measured_error`. Present with it."""


TaskStatus = Literal["pending", "ready", "assigned", "running", "succeeded", "failed", "canceled"]


class PoolHolderSince(Timestamp):
    """Time of the assignment."""


class PoolHolder(TypedDict):
    """The schema PoolHolder."""

    task_id: str
    task_name: str
    job_id: str
    job_name: str
    status: TaskStatus
    worker_id: str
    worker_name: str
    since: PoolHolderSince
    """Time of the assignment."""


class PoolWaiter(TypedDict):
    """The schema PoolWaiter."""

    farm_id: str
    job_id: str
    job_name: str
    step_id: str
    step_name: str
    tasks: int
    """Its ready tasks."""


class UsagePoolUseHistory(TypedDict):
    """Claimed slots at the end of each minute, at most of the last hour."""

    times: List[Timestamp]
    in_use: List[Optional[int]]
    """Null while the pool did not exist."""


class UsagePoolUse(TypedDict):
    """The schema UsagePoolUse."""

    pool: UsagePool
    holders: List[PoolHolder]
    """Assigned and running tasks that hold a slot, at most 200, longest first."""
    waiting_tasks: int
    """Ready tasks that require the pool, in queues that are not paused."""
    waiting: List[PoolWaiter]
    """Steps with such tasks, in the order of the candidates of each farm, at most 20 of each farm."""
    is_partial: bool
    """True if a list is cut, or the scheduler of a farm did not answer."""
    history: UsagePoolUseHistory
    """Claimed slots at the end of each minute, at most of the last hour."""


class _UsagePoolInputRequired(TypedDict):
    """The schema UsagePoolInput."""

    name: str
    """Name that steps require as `amount.worker.usagepool.<name>`, and therefore one that templates accept there.
    Names are not case-sensitive: two pools cannot have names that differ only in case."""
    max_concurrent: MaxConcurrent


class UsagePoolInput(_UsagePoolInputRequired, total=False):
    """The schema UsagePoolInput."""

    server_hint: Description
    counts: Literal["tasks", "amounts", "hosts"]
    """What takes slots of the pool (docs/policy.md#what-a-pool-counts): each task one; each task as many as its
    step requires; each host with such tasks one. A request without this key keeps the stored value; of a new pool
    it is `tasks`."""
    retry_rules: RetryRulesInput
    """Rules for failed attempts (docs/retry-rules.md). An empty list or null removes them; a request without this
    key keeps the stored ones."""


ProductName = str


ProductTemplate = str


ProductFormat = Literal["yaml", "json"]


ProductSource = Literal["builtin", "custom", "installed"]


class _ProductSummaryRequired(TypedDict):
    """The schema ProductSummary."""

    name: str
    title: str
    description: str
    category: str
    version: str
    """A semantic version, as a label."""
    source: ProductSource
    format: Literal["yaml", "json"]


class ProductSummary(_ProductSummaryRequired, total=False):
    """The schema ProductSummary."""

    readme: str
    """In the Markdown subset of readmes. Absent in summaries."""
    template: str
    """Absent in summaries."""
    revision: int
    """Counts the changes of a stored product from 1. Absent for a built-in product."""
    created_at: Timestamp
    updated_at: Timestamp


class _ProductRequired(TypedDict):
    """The schema Product."""

    name: str
    title: str
    description: str
    readme: str
    category: str
    version: str
    """A semantic version, as a label."""
    source: ProductSource
    template: str
    format: Literal["yaml", "json"]


class Product(_ProductRequired, total=False):
    """The schema Product."""

    revision: int
    """Counts the changes of a stored product from 1. Absent for a built-in product."""
    created_at: Timestamp
    updated_at: Timestamp
    retry_rules: List[RetryRule]
    """Rules for failed attempts (docs/retry-rules.md). Absent without rules."""
    retry_rules_version: str
    """Version of the rules, which decisions name. Absent without rules."""


class _ProductReplacementRequired(TypedDict):
    """The schema ProductReplacement."""

    title: Name
    template: ProductTemplate


class ProductReplacement(_ProductReplacementRequired, total=False):
    """The schema ProductReplacement."""

    description: str
    """Plain text."""
    readme: str
    """In the Markdown subset of readmes."""
    category: Label
    version: str
    """A semantic version such as 1.2.0, or empty."""
    format: ProductFormat
    retry_rules: RetryRulesInput
    """Rules for failed attempts (docs/retry-rules.md). An empty list or null removes them; a request without this
    key keeps the stored ones."""


class ProductInput(ProductReplacement):
    """The schema ProductInput."""

    name: ProductName


class ProductRevision(TypedDict):
    """The schema ProductRevision."""

    revision: int
    title: str
    version: str
    saved_at: Timestamp
    saved_by: str
    """Who saved it."""
    product: Product


OptionalConcurrencyCap = Optional[int]


StepCaps = Dict[str, OptionalConcurrencyCap]


class _ProductJobInputRequired(TypedDict):
    """The schema ProductJobInput."""

    farm_id: str
    queue_id: str


class ProductJobInput(_ProductJobInputRequired, total=False):
    """The schema ProductJobInput."""

    name: str
    """Overrides the job name of the template. Empty keeps it."""
    owner: Label
    """Defaults to the submitter."""
    submitter: str
    """Accepted and ignored."""
    priority: Priority
    project: Label
    parameters: Dict[str, str]
    """Values of job parameters by name, as text. A LIST is given as JSON (`["a", "b"]`), a BOOL as true or false.
    """
    environments: SubmittedEnvironments
    depends_on: List[str]
    """Ids of jobs of the same farm that must complete first."""
    max_attempts: OptionalMaxAttempts
    retry_delay_seconds: OptionalRetryDelaySeconds
    failure_limit: OptionalFailureLimit
    canary_tasks: OptionalCanaryTasks
    paused: bool
    """The job starts paused."""
    start_after: Optional[Timestamp]
    """No task of the job starts before this time. A time that has passed has no effect."""
    max_concurrent_tasks: OptionalConcurrencyCap
    """Cap on the assigned and running tasks of the job (docs/policy.md#caps). Null and 0 are none."""
    step_max_concurrent_tasks: StepCaps
    """Caps on the assigned and running tasks of steps, by the name of the step. Null and 0 are none."""


class CloneJobInput(TypedDict, total=False):
    """Members that are missing are those of the job."""

    farm_id: str
    queue_id: str
    """Required with another farm."""
    name: str
    """Overrides the job name of the template. Empty keeps it."""
    owner: Label
    """Defaults to the submitter."""
    priority: Priority
    project: Label
    parameters: Dict[str, str]
    """Values of job parameters by name, as text, that replace those of the job. A LIST is given as JSON (`["a",
    "b"]`), a BOOL as true or false."""
    environments: SubmittedEnvironments
    """Environment templates that replace those that were sent with the job."""
    depends_on: List[str]
    """Ids of jobs of the same farm that must complete first."""
    max_attempts: OptionalMaxAttempts
    retry_delay_seconds: OptionalRetryDelaySeconds
    failure_limit: OptionalFailureLimit
    canary_tasks: OptionalCanaryTasks
    paused: bool
    """The job starts paused."""
    start_after: Optional[Timestamp]
    """No task of the job starts before this time. A time that has passed has no effect."""
    max_concurrent_tasks: OptionalConcurrencyCap
    """Cap on the assigned and running tasks of the job (docs/policy.md#caps). Null and 0 are none."""
    step_max_concurrent_tasks: StepCaps
    """Caps on the assigned and running tasks of steps, by the name of the step. Null and 0 are none."""


ConcurrencyCap = int


class BeforeAfter(TypedDict):
    """The schema BeforeAfter."""

    before: int
    after: int


class PassedJob(TypedDict):
    """The schema PassedJob."""

    id: str
    name: str
    owner: str
    priority: Priority
    ready: Count
    """Ready tasks."""


class JobOrder(TypedDict):
    """The schema JobOrder."""

    job_id: str
    queue_id: str
    priority: BeforeAfter
    position: BeforeAfter
    """Place among the jobs of the queue with ready tasks, from 1, by priority and age. A queue policy of the farm
    can serve jobs of equal priority in another order."""
    total: Count
    """Number of these jobs, with this one."""
    is_partial: bool
    """Whether only 10,000 jobs were compared, because the queue has more."""
    top_priority: Priority
    """The lowest priority that puts the job first; its own if it is the first."""
    passed_total: Count
    """Number of jobs that this job overtakes, or that overtake it."""
    passed: List[PassedJob]
    """The first 50 of them, in their order."""


class JobProduct(TypedDict):
    """The product that the job was submitted from. Absent for a template."""

    name: str
    version: str


class Preset(TypedDict):
    """The schema Preset."""

    name: str
    title: str
    description: str
    category: str
    version: str
    installed: bool
    """True if the product of this name was installed from the library."""
    installed_version: Optional[str]
    update_available: bool
    """True if the library has a newer version than the installed one."""
    usage_pools: List[str]
    """Names of the usage pools that its tasks take slots of. A pool that does not exist has no slots."""
    tags: List[str]
    """Names of the tags that a worker must report as true."""


class _PresetDetailRequired(Preset):
    """The schema PresetDetail."""

    readme: str
    template: str
    format: Literal["yaml", "json"]
    parameters: List[ProductParameter]


class PresetDetail(_PresetDetailRequired, total=False):
    """The schema PresetDetail."""

    retry_rules: List[RetryRule]
    """Rules for failed attempts (docs/retry-rules.md). Absent without rules."""
    retry_rules_version: str
    """Version of the rules, which decisions name. Absent without rules."""


JobStatus = Literal["pending", "blocked", "paused", "running", "completed", "failed", "canceled"]


class _EffectiveRetryRequired(TypedDict):
    """Effective settings after the cascade server, farm, queue, job."""

    max_attempts: MaxAttempts
    retry_delay_seconds: RetryDelaySeconds
    failure_limit: FailureLimit


class EffectiveRetry(_EffectiveRetryRequired, total=False):
    """Effective settings after the cascade server, farm, queue, job."""

    canary_tasks: CanaryTasks


class TaskCounts(TypedDict):
    """`unschedulable` is a subset of `ready`."""

    total: Count
    pending: Count
    ready: Count
    assigned: Count
    running: Count
    succeeded: Count
    failed: Count
    canceled: Count
    unschedulable: Count


class _JobRequired(TypedDict):
    """The schema Job."""

    id: str
    farm_id: str
    queue_id: str
    name: str
    owner: str
    submitter: str
    priority: Priority
    project: str
    status: JobStatus
    template_format: Literal["yaml", "json"]
    created_at: Timestamp
    updated_at: Timestamp
    failed_attempts: int
    """Genuine task failures since the last reset."""
    effective_retry: EffectiveRetry
    task_counts: TaskCounts


class Job(_JobRequired, total=False):
    """The schema Job."""

    first_failure: str
    """Reason of the first failed task, and the last line of its log that looks like an error. Absent without failed
    tasks, and if there are many older texts of tasks before it."""
    park_reason: str
    """Only while the job is parked."""
    cancel_reason: str
    """Why the job was canceled, if not by a user."""
    waiting_reason: str
    """Why the job waits, as explain states it for a task that stands for the job. Absent if a task of it runs, if
    it has ended, and if the reason is unknown. Not in events."""
    start_after: Timestamp
    """No task of the job starts before this time. Absent when it has passed. Not in events."""
    max_concurrent_tasks: int
    """Cap on its assigned and running tasks. Absent without one. Not in events."""
    step_max_concurrent_tasks: Dict[str, int]
    """Caps on the assigned and running tasks of its steps, by name. Absent without any. Not in events."""
    product: JobProduct


class JobUpdate(TypedDict, total=False):
    """The schema JobUpdate."""

    action: Optional[Literal["pause", "resume"]]
    priority: Optional[int]
    queue_id: Optional[str]
    """A queue of the job's farm."""
    start_after: Optional[Timestamp]
    """No task of the job starts before this time; running ones continue. Null removes the time. 409 for a job that
    has ended."""
    max_concurrent_tasks: OptionalConcurrencyCap
    """Cap on the assigned and running tasks of the job (docs/policy.md#caps). Null and 0 remove it. Running tasks
    continue."""
    step_max_concurrent_tasks: StepCaps
    """Caps on the assigned and running tasks of steps, by the name of the step. Null and 0 remove a cap; steps that
    are not named keep theirs."""
    max_attempts: OptionalMaxAttempts
    retry_delay_seconds: OptionalRetryDelaySeconds
    failure_limit: OptionalFailureLimit
    canary_tasks: OptionalCanaryTasks
    retry_rules: RetryRulesInput
    """Rules for failed attempts (docs/retry-rules.md). An empty list or null removes them; a request without this
    key keeps the stored ones."""


class _RetriedStepRequired(TypedDict):
    """The schema RetriedStep."""

    step_id: str
    name: str
    retried: Count


class RetriedStep(_RetriedStepRequired, total=False):
    """The schema RetriedStep."""

    tasks: str
    """The tasks of a selection or a dry run, unless the step has no task parameters: values of the only task
    parameter (`Frame=1003-1007`), or positions (`positions 0-4`). Cut with `…` after 500 characters."""


class _BulkProblemRequired(TypedDict):
    """The problem of one item; the request id is that of the whole response."""

    type: Literal["about:blank"]
    title: str
    status: int
    detail: str


class BulkProblem(_BulkProblemRequired, total=False):
    """The problem of one item; the request id is that of the whole response."""

    errors: List[PointedError]


class _RetriedDependentRequired(TypedDict):
    """The schema RetriedDependent."""

    job_id: str
    name: str
    retried: Count


class RetriedDependent(_RetriedDependentRequired, total=False):
    """The schema RetriedDependent."""

    problem: BulkProblem
    """Why the job is not retried."""


class JobRetry(TypedDict):
    """The schema JobRetry."""

    job_id: str
    retried: Count
    """Retried tasks of this job."""
    status: JobStatus
    """Status of the job after the retry; of a dry run, before it."""
    steps: List[RetriedStep]
    """Steps with retried tasks, in the order of the template."""
    dependents: List[RetriedDependent]
    """Retried dependents, directly or through others; empty without `with_dependents`."""


class JobRetrySelection(TypedDict, total=False):
    """The schema JobRetrySelection."""

    step: str
    """Id or name of a step."""
    range: str
    """Values of a task parameter: `Frame=1003-1007`, or only a range expression (`1003-1007,1010`, `1-99:2`) if the
    step has one integer parameter. Requires `step`, unless the job has only one. Excludes `index_range`."""
    index_range: str
    """Positions of tasks in the task order of the step, from 0, as a range expression: `0-9,14` or `0-98:2`.
    Requires `step`, unless the job has only one."""
    worker_id: str
    """Only tasks that have failed, and whose last attempt ran on this worker."""
    skipped: bool
    """`true`: only tasks that were skipped, to undo the skip. Otherwise a retry leaves skipped tasks as they are,
    unless `range` or `index_range` selects them."""


SkipReason = str


class TaskSkipReason(TypedDict, total=False):
    """The schema TaskSkipReason."""

    reason: SkipReason


class JobSkipSelection(TypedDict, total=False):
    """At least one member other than `reason`."""

    step: str
    """Id or name of a step."""
    range: str
    """As for a retry. Excludes `index_range`."""
    index_range: str
    """As for a retry."""
    failed: bool
    """`true`: only tasks that have failed."""
    reason: SkipReason


class _SkippedStepRequired(TypedDict):
    """The schema SkippedStep."""

    step_id: str
    name: str
    skipped: Count


class SkippedStep(_SkippedStepRequired, total=False):
    """The schema SkippedStep."""

    tasks: str
    """The tasks, as in the response to a retry."""


class JobSkip(TypedDict):
    """The schema JobSkip."""

    job_id: str
    skipped: Count
    """Skipped tasks."""
    retried: Count
    """Tasks of later steps that continue, because they were canceled only because of the skipped ones."""
    status: JobStatus
    """Status of the job after the request; of a dry run, before it."""
    steps: List[SkippedStep]
    """Steps with skipped tasks, in the order of the template."""
    dependents: List[RetriedDependent]
    """Dependents, direct or not, that continue because they were canceled only because of the job."""


class TaskSkip(TypedDict):
    """The schema TaskSkip."""

    task_id: str
    status: Literal["succeeded"]
    retried: Count
    """Tasks of later steps that continue, because they were canceled only because of the task."""
    dependents: List[RetriedDependent]
    """Dependents of the job that continue because they were canceled only because of it."""


class TaskSkipNote(TypedDict):
    """The schema TaskSkipNote."""

    by: str
    """Username."""
    reason: str
    """Text of the user; may be empty."""
    at: Timestamp


class JobPageSummary(JobSummary):
    """Number of jobs by status that match all filters except `status`. Present if `summary` is true."""


class _JobPageRequired(TypedDict):
    """The schema JobPage."""

    items: List[Job]
    total: Count
    limit: int
    offset: int


class JobPage(_JobPageRequired, total=False):
    """The schema JobPage."""

    summary: JobPageSummary
    """Number of jobs by status that match all filters except `status`. Present if `summary` is true."""


StepStatus = Literal["pending", "ready", "running", "completed", "failed", "canceled"]


class AttemptSeconds(TypedDict):
    """Duration of the step's successful attempts, from their assignment. Absent before the first one."""

    count: int
    mean: float


class StepHold(TypedDict):
    """The schema StepHold."""

    by: str
    """Username."""
    reason: str
    """Text of the user; may be empty."""
    at: Timestamp


RetryRuleLevel = Literal["job", "queue", "pool"]


class _RaisedAmountRequired(TypedDict):
    """The schema RaisedAmount."""

    name: str
    amount: float
    """Present request."""
    times: int
    """How often it was raised."""
    at: Timestamp
    rule: str
    """Name of the rule that raised it last."""
    level: RetryRuleLevel
    version: str


class RaisedAmount(_RaisedAmountRequired, total=False):
    """The schema RaisedAmount."""

    declared: float
    """Request of the template; absent if it has none."""
    of: str


class _StepChunksRequired(TypedDict):
    """Chunks whose size follows the run times of the step's tasks. Tasks that have started keep their values; the
    number and the values of the others may change."""

    parameter: str
    """Name of the chunked parameter."""
    size: int
    """Maximum number of values in a task that has not started."""
    default_size: int
    """The `defaultTaskCount` of the template."""
    target_seconds: int
    """The `targetRuntimeSeconds` of the template."""
    changes: int
    """How often the size has changed."""
    measured_tasks: int
    """Number of the latest succeeded tasks that determine the size."""
    sentence: str
    """The size and its reason, for people."""


class StepChunks(_StepChunksRequired, total=False):
    """Chunks whose size follows the run times of the step's tasks. Tasks that have started keep their values; the
    number and the values of the others may change."""

    seconds_per_value: float
    """Average duration of one value in these tasks. Absent before the first task has succeeded."""


class _StepRequired(TypedDict):
    """The schema Step."""

    id: str
    job_id: str
    name: str
    order: int
    """Position in the template, from 0."""
    status: StepStatus
    task_counts: TaskCounts
    created_at: Timestamp
    updated_at: Timestamp


class Step(_StepRequired, total=False):
    """The schema Step."""

    compute_location: str
    depends_on: List[str]
    """Names of the steps that must complete first."""
    attempt_seconds: AttemptSeconds
    hold: StepHold
    """Who holds the step. Only while it is held."""
    waiting_reason: str
    """Why the step waits, as explain states it for one of its tasks. Absent if a task of it runs, if it has ended,
    and if the reason is unknown."""
    raised_amounts: List[RaisedAmount]
    """Amounts that retry rules have raised for tasks that start from now on. Absent without any."""
    chunks: StepChunks
    """Only of a step whose chunks have a target run time."""


class FailureSummary(TypedDict):
    """The schema FailureSummary."""

    failed_count: int
    """Number of failed tasks."""
    dominant_reason: str
    """The most common reason; empty if there is none."""
    distinct_reasons: int
    """Number of different reasons."""


class JobDetailOwnRetry(TypedDict, total=False):
    """The job's own settings among those in `effective_retry`; the others come from its queue, its farm or the
    service."""

    max_attempts: MaxAttempts
    retry_delay_seconds: RetryDelaySeconds
    failure_limit: FailureLimit
    canary_tasks: CanaryTasks


class _JobDetailRequired(Job):
    """The schema JobDetail."""

    steps: List[Step]
    failure_summary: FailureSummary


class JobDetail(_JobDetailRequired, total=False):
    """The schema JobDetail."""

    description: str
    own_retry: JobDetailOwnRetry
    """The job's own settings among those in `effective_retry`; the others come from its queue, its farm or the
    service."""
    retry_rules: List[RetryRule]
    """Rules for failed attempts (docs/retry-rules.md). Absent without rules."""
    retry_rules_version: str
    """Version of the rules, which decisions name. Absent without rules."""
    depends_on: List[str]
    """Ids of the upstream jobs."""
    parameters: Dict[str, str]
    """Values of the job parameters, by name, defaults filled in. All are text: integers in plain decimal, BOOL as
    true or false, lists as JSON (`["a", "b"]`), everything else as it was submitted."""
    extensions: List[str]
    """Those that the template declares."""


class StepHoldReason(TypedDict, total=False):
    """The schema StepHoldReason."""

    reason: str
    """Why the step is held, for people."""


class StepList(TypedDict):
    """The schema StepList."""

    items: List[Step]


class TaskAxisRunsItem(TypedDict):
    """The schema TaskAxisRunsItem."""

    start: int
    step: int
    count: int


class _TaskAxisRequired(TypedDict):
    """Values of the task parameter in task order, if the step has exactly one. Absent if it has none or several, or
    more than 1000 runs or values."""

    parameter: str
    type: Literal["INT", "FLOAT", "STRING", "PATH", "CHUNK[INT]"]


class TaskAxis(_TaskAxisRequired, total=False):
    """Values of the task parameter in task order, if the step has exactly one. Absent if it has none or several, or
    more than 1000 runs or values."""

    runs: List[TaskAxisRunsItem]
    """Integers from `start` in steps of `step`, one run after the other. Either these or `values`."""
    values: List[str]


class _TaskGridStepsItemRequired(TypedDict):
    """The schema TaskGridStepsItem."""

    id: str
    name: str
    order: Count
    cells: str


class TaskGridStepsItem(_TaskGridStepsItemRequired, total=False):
    """The schema TaskGridStepsItem."""

    axis: TaskAxis


class TaskGrid(TypedDict):
    """The schema TaskGrid."""

    job_id: str
    legend: Dict[str, str]
    """Meaning of each character; `unschedulable` is a ready task that no online worker can run; `skipped` has
    succeeded by a skip."""
    steps: List[TaskGridStepsItem]


class OutputPreview(TypedDict):
    """A small image of the file. Absent if there is none (docs/outputs.md#previews)."""

    url: str
    """Path of the image at this service."""
    width: int
    height: int


class _OutputRequired(TypedDict):
    """A file or directory that a job or task writes."""

    path: str
    """As the job or the task has given it; not verified."""
    source: Literal["parameter", "task"]


class Output(_OutputRequired, total=False):
    """A file or directory that a job or task writes."""

    mapped_path: str
    """The path at `compute_location`; absent if the request names none."""
    parameter: str
    """The name of the parameter."""
    object_type: Literal["FILE", "DIRECTORY"]
    """Of a parameter."""
    task_id: str
    """The task that has named it. With `parameter`: the task after whose end the worker has found it there."""
    attempt_number: int
    preview: OutputPreview
    """A small image of the file. Absent if there is none (docs/outputs.md#previews)."""
    preview_missing: str
    """Why the worker could not make a preview. Absent if there is one, or if none was tried."""


class PreviewImage(TypedDict):
    """Absent if there is none."""

    width: int
    height: int
    data: str
    """A WebP image in base64."""


class _PreviewRequired(TypedDict):
    """A small image of a file that a task has written, or why there is none."""

    task_id: str
    task_name: str
    task_status: TaskStatus
    attempt_number: int
    number: int
    """Its number in the task, from 0."""
    path: str
    """The output, as the task has named it, or as the worker has found it at a parameter."""
    received_at: Timestamp


class Preview(_PreviewRequired, total=False):
    """A small image of a file that a task has written, or why there is none."""

    parameter: str
    """The name of that parameter. Absent if the task has named the output."""
    image: PreviewImage
    """Absent if there is none."""
    missing: str
    """Why there is no image."""


class _PreviewPageRequired(TypedDict):
    """The schema PreviewPage."""

    items: List[Preview]


class PreviewPage(_PreviewPageRequired, total=False):
    """The schema PreviewPage."""

    newest: Preview
    """The image that was received last. Only on the first page, if there is one."""
    next: str
    """The `after` of the next page; absent on the last one."""


class _OutputPageRequired(TypedDict):
    """The schema OutputPage."""

    items: List[Output]


class OutputPage(_OutputPageRequired, total=False):
    """The schema OutputPage."""

    next: str
    """The `after` of the next page; absent on the last one."""


class ConnectedJob(TypedDict):
    """The schema ConnectedJob."""

    id: str
    name: str
    status: JobStatus
    task_counts: TaskCounts
    depends_on: List[str]
    """Ids of its dependencies among the listed jobs."""


class JobGraph(TypedDict):
    """The schema JobGraph."""

    items: List[ConnectedJob]
    is_partial: bool
    """True if more jobs are connected than are listed."""


class DependentPageItemsItem(TypedDict):
    """The schema DependentPageItemsItem."""

    id: str
    name: str
    status: JobStatus


class DependentPage(TypedDict):
    """The schema DependentPage."""

    items: List[DependentPageItemsItem]
    total: Count
    limit: int
    offset: int


class _CommandPreviewRequired(TypedDict):
    """Command line as the worker would resolve it. Values that only a worker knows remain references:
    `{{Session.…}}` and `{{Task.File.…}}`. Paths are not mapped."""

    task: str
    """Name of the task."""
    command: str
    args: List[str]


class CommandPreview(_CommandPreviewRequired, total=False):
    """Command line as the worker would resolve it. Values that only a worker knows remain references:
    `{{Session.…}}` and `{{Task.File.…}}`. Paths are not mapped."""

    parameters: Dict[str, str]
    cut: bool
    """Present and true if arguments were omitted at the end because the whole exceeds 65,536 characters."""


IneligibleReason = Literal["queue affinity", "compute location mismatch", "amount requirement not met", "attribute requirement not met", "the worker's advertised expression limits are tighter than the server's"]


class _RejectedWorkersRequired(TypedDict):
    """The schema RejectedWorkers."""

    reason: IneligibleReason
    workers: Count


class RejectedWorkers(_RejectedWorkersRequired, total=False):
    """The schema RejectedWorkers."""

    requirement: str
    """Name of the amount or attribute that they do not meet."""


class _NearestMissRequired(TypedDict):
    """The online worker closest to being eligible, and the requirement that it does not meet."""

    worker_id: str
    worker: str
    """Its name."""
    reason: IneligibleReason
    requirement: str
    """Name of the capability; `queue` for queue affinity; the configuration key of a limit."""
    wanted: str


class NearestMiss(_NearestMissRequired, total=False):
    """The online worker closest to being eligible, and the requirement that it does not meet."""

    offered: str
    """Absent if the worker has no such capability."""


class _DryRunWorkersRequired(TypedDict):
    """Online workers of the farm that can run the step, by the gates of a lease."""

    online: Count
    elsewhere: int
    """Online workers of other farms."""
    eligible: Count
    rejected: List[RejectedWorkers]


class DryRunWorkers(_DryRunWorkersRequired, total=False):
    """Online workers of the farm that can run the step, by the gates of a lease."""

    reason: str
    """Only if none is eligible; like `unschedulable_reason`."""
    sentence: str
    """The same as text."""
    nearest_miss: NearestMiss


class _DryRunStepRequired(TypedDict):
    """The schema DryRunStep."""

    name: str
    order: Count
    task_count: Count
    first: CommandPreview
    """Command of the first task."""
    last: CommandPreview
    """Command of the last task."""


class DryRunStep(_DryRunStepRequired, total=False):
    """The schema DryRunStep."""

    depends_on: List[str]
    """Names of the steps that must complete first."""
    workers: DryRunWorkers
    """Absent when the scheduler does not answer."""
    unregistered_pools: List[str]
    """Usage pools of the step that are not registered; its tasks wait until they are."""


class _DryRunRequired(TypedDict):
    """Result of a dry run."""

    name: str
    task_count: Count
    """Sum of all steps."""
    steps: List[DryRunStep]


class DryRun(_DryRunRequired, total=False):
    """Result of a dry run."""

    parameters: Dict[str, str]
    """Values of the job parameters, by name, as a job shows them."""


BulkIds = List[str]


class _BulkResultRequired(TypedDict):
    """The schema BulkResult."""

    id: str
    ok: bool
    changed: bool
    """False if the item was rejected, or was already in the requested state."""
    status: int
    """HTTP status of the single route."""


class BulkResult(_BulkResultRequired, total=False):
    """The schema BulkResult."""

    retried: int
    """For a retried job or task, the number of retried tasks of the job."""
    dependents: int
    """For a retry with dependents, the number of retried dependents."""
    problem: BulkProblem


class BulkResults(TypedDict):
    """The schema BulkResults."""

    total: Count
    """Number of items of the request."""
    changed: Count
    """Number of items that the request has changed."""
    results: List[BulkResult]
    """One for each item, in the order of `ids` or of the list."""


class JobBulkFilter(TypedDict, total=False):
    """A task must match all members. Unknown members are rejected, so that a misspelled one cannot widen the
    selection."""

    status: JobStatus
    statuses: List[JobStatus]
    """Any of them."""
    queue_id: str
    farm_id: str
    owner: str
    project: str
    product: str
    search: str


class _JobBulkRequired(TypedDict):
    """The schema JobBulk."""

    action: Literal["pause", "resume", "cancel", "retry", "delete", "set"]
    """`set` changes priority and queue, and requires at least one of them."""


class JobBulk(_JobBulkRequired, total=False):
    """The schema JobBulk."""

    ids: BulkIds
    filter: JobBulkFilter
    with_dependents: bool
    """Only for the action `retry`, as in the route of one job."""
    priority: int
    """Only for the action `set`."""
    queue_id: str
    """Only for the action `set`; a queue of the farm of each job."""


class _TaskBulkFilterRequired(TypedDict):
    """The schema TaskBulkFilter."""

    job_id: str


class TaskBulkFilter(_TaskBulkFilterRequired, total=False):
    """The schema TaskBulkFilter."""

    status: TaskStatus


class _TaskBulkRequired(TypedDict):
    """The schema TaskBulk."""

    action: Literal["retry", "cancel"]


class TaskBulk(_TaskBulkRequired, total=False):
    """The schema TaskBulk."""

    with_dependents: bool
    """Only for the action `retry`, as in the route of one task."""
    ids: BulkIds
    filter: TaskBulkFilter


DisableMode = Literal["after-tasks", "now"]


class DisabledUntil(Timestamp):
    """When the service enables the worker again. Without it only a user does. A time that has passed is refused.
    Only with `disable`."""


WorkerStatus = Literal["online", "offline", "disabled"]


class WorkerBulkFilter(TypedDict, total=False):
    """A task must match all members. Unknown members are rejected, so that a misspelled one cannot widen the
    selection."""

    farm_id: str
    queue_id: str
    compute_location: str
    status: WorkerStatus
    search: str


class _WorkerBulkRequired(TypedDict):
    """The schema WorkerBulk."""

    action: Literal["disable", "enable", "delete"]


class WorkerBulk(_WorkerBulkRequired, total=False):
    """The schema WorkerBulk."""

    mode: DisableMode
    """Only with `disable`."""
    reason: str
    """Why the workers are disabled, for people. Only with `disable`."""
    until: DisabledUntil
    ids: BulkIds
    versions: Dict[str, SettingsVersion]
    """`settings_version` of workers by id, as the user saw them. A worker that another user has enabled or disabled
    since is not changed: its result has a problem with the status 412. Not with `delete`."""
    filter: WorkerBulkFilter


class WorkerDisable(TypedDict, total=False):
    """The schema WorkerDisable."""

    mode: DisableMode
    reason: str
    """Why the worker is disabled, for people."""
    until: DisabledUntil


class BookedAmount(TypedDict):
    """The schema BookedAmount."""

    name: str
    booked: float
    total: float
    """What the worker has; for memory of GPUs, that of all its GPUs."""


class _WorkerDisablingRequired(TypedDict):
    """The schema WorkerDisabling."""

    by: str
    """Username."""
    reason: str
    """Text of the user; may be empty."""
    at: Timestamp
    mode: DisableMode


class WorkerDisabling(_WorkerDisablingRequired, total=False):
    """The schema WorkerDisabling."""

    until: Timestamp
    """When the service enables the worker again. Absent if only a user does."""


class _WorkerRetryJobsItemRequired(TypedDict):
    """The schema WorkerRetryJobsItem."""

    job_id: str
    retried: Count


class WorkerRetryJobsItem(_WorkerRetryJobsItemRequired, total=False):
    """The schema WorkerRetryJobsItem."""

    problem: BulkProblem
    """Why tasks of the job are not retried."""


class WorkerRetry(TypedDict):
    """The schema WorkerRetry."""

    worker_id: str
    retried: int
    """In all jobs."""
    jobs: List[WorkerRetryJobsItem]


class StatsTasks(TypedDict):
    """Tasks of jobs that have not ended. `unschedulable` is a subset of `ready`."""

    pending: Count
    ready: Count
    assigned: Count
    running: Count
    unschedulable: Count


class StatsWorkers(TypedDict):
    """The schema StatsWorkers."""

    online: Count
    offline: Count
    disabled: Count


class StatsCores(TypedDict):
    """Cores of online workers, and those held by active tasks on any worker."""

    total: float
    committed: float


class Stats(TypedDict):
    """The schema Stats."""

    jobs: JobSummary
    tasks: StatsTasks
    """Tasks of jobs that have not ended. `unschedulable` is a subset of `ready`."""
    workers: StatsWorkers
    cores: StatsCores
    """Cores of online workers, and those held by active tasks on any worker."""
    parked_requests: int
    """Open lease requests of workers."""
    leased_tasks_per_second: float
    """Tasks assigned to workers in the last second."""


Measures = List[float]


class HistorySeries(TypedDict):
    """Usage of one queue or owner."""

    key: str
    """Id of the queue, or the owner; empty for all others combined."""
    is_other: bool
    cores_booked: Measures
    tasks_succeeded: Measures
    tasks_failed: Measures


class BookedShare(TypedDict):
    """The schema BookedShare."""

    key: str
    """Id of the queue, or the owner; empty for all others combined."""
    is_other: bool
    cores_booked: float


class FarmNow(TypedDict):
    """Current load of the farm. Absent in the first seconds after a start of the service."""

    at: Timestamp
    cores_total: float
    cores_booked: float
    workers_online: Count
    tasks_ready: Count
    tasks_running: Count
    queues: List[BookedShare]
    owners: List[BookedShare]
    projects: List[BookedShare]


class _FarmHistoryRequired(TypedDict):
    """The schema FarmHistory."""

    farm_id: str
    step_seconds: int
    times: List[Timestamp]
    cores_total: Measures
    """Cores of online workers."""
    cores_booked: Measures
    """Cores that active tasks hold, on any worker."""
    workers_online: Measures
    tasks_succeeded: Measures
    """Without the permission `jobs.read.all`, the tasks of one's own jobs."""
    tasks_failed: Measures
    queues: List[HistorySeries]
    """The eight busiest, busiest first, and all others combined."""
    owners: List[HistorySeries]
    """The eight busiest, busiest first, and all others combined."""
    projects: List[HistorySeries]
    """Like `queues`. The key of jobs without a project is empty."""


class FarmHistory(_FarmHistoryRequired, total=False):
    """The schema FarmHistory."""

    tasks_ready: Measures
    """Absent without the permission `jobs.read.all`."""
    tasks_running: Measures
    """Assigned workers among them. Absent without the permission `jobs.read.all`."""
    now: FarmNow


class FarmOverviewHour(FarmHistory):
    """The last hour, one point per minute."""


WaitingReason = Literal["paused_job", "paused_queue", "usage_pool_missing", "workers", "retry_after", "farm_cap", "queue_cap", "owner_cap", "project_cap", "job_cap", "step_cap", "usage_pool", "cores", "amounts", "order"]


class _WaitingGroupRequired(TypedDict):
    """The schema WaitingGroup."""

    reason: WaitingReason
    sentence: str
    tasks: Count
    jobs: Count
    job_ids: List[str]
    """Ids of at most ten of the jobs."""
    job_names: List[str]
    """Their names, in the same order."""


class WaitingGroup(_WaitingGroupRequired, total=False):
    """The schema WaitingGroup."""

    queue_id: str
    """With `paused_queue` and `queue_cap`, and with caps of owners and projects in a queue."""
    owner: str
    """With `owner_cap`; may be empty."""
    project: str
    """With `project_cap`; may be empty."""
    pool: str
    """With `usage_pool` and `usage_pool_missing`."""
    amount: str
    """With `amounts`; the booked amount of which most workers with free cores have too little."""
    unschedulable_reason: str
    """With `workers`; the same as for tasks."""


class FarmWaiting(TypedDict):
    """The schema FarmWaiting."""

    farm_id: str
    at: Timestamp
    tasks: Count
    """Sum of all groups."""
    groups: List[WaitingGroup]
    is_partial: bool
    """True if only the first of very many steps or groups were read."""


class WorkerSummary(TypedDict):
    """Sums over all workers that match the filter, in any status. Present if `summary` is true."""

    online: Count
    offline: Count
    disabled: Count
    draining: int
    """Online workers that take no tasks because they are draining."""
    cores_total: float
    """Cores of online workers."""
    cores_booked: float
    """Cores held by active tasks, on any of the workers."""


class FarmOverview(TypedDict):
    """The schema FarmOverview."""

    hour: FarmOverviewHour
    """The last hour, one point per minute."""
    history: FarmHistory
    waiting: FarmWaiting
    workers: WorkerSummary
    jobs: JobSummary


class WorkerHistory(TypedDict):
    """The schema WorkerHistory."""

    worker_id: str
    cpu_count: int
    """Current state."""
    step_seconds: int
    times: List[Timestamp]
    """The ends of the intervals."""
    cores_booked: List[Optional[float]]
    """Null while the worker was not online, or not registered yet."""


class _WorkerAttemptRequired(TypedDict):
    """The schema WorkerAttempt."""

    job_id: str
    job_name: str
    step_id: str
    step_name: str
    task_id: str
    task_name: str
    attempt_number: int
    status: Literal["running", "succeeded", "failed", "canceled"]
    started_at: Timestamp


class WorkerAttempt(_WorkerAttemptRequired, total=False):
    """The schema WorkerAttempt."""

    exit_code: int
    message: str
    reclaimed: bool
    """As in the attempts of a task."""
    ended_at: Timestamp


class _WorkerAttemptPageRequired(TypedDict):
    """The schema WorkerAttemptPage."""

    items: List[WorkerAttempt]


class WorkerAttemptPage(_WorkerAttemptPageRequired, total=False):
    """The schema WorkerAttemptPage."""

    next: str
    """Pass it as `before` for the next page. Absent at the end."""


class WorkerWithAttempts(TypedDict):
    """The schema WorkerWithAttempts."""

    worker_id: str
    worker_name: str
    status: WorkerStatus
    attempts: List[WorkerAttempt]
    has_more: bool
    """Whether the worker may have earlier attempts in the range that are not in the response."""


class FarmAttemptPage(TypedDict):
    """The schema FarmAttemptPage."""

    items: List[WorkerWithAttempts]
    total: int
    """Number of workers of the farm."""


class _FailureGroupRequired(TypedDict):
    """The schema FailureGroup."""

    reason: str
    """Like `failure_reason` of its tasks; empty if they have none."""
    count: int
    task_ids: List[str]
    """Ids of the first 20 tasks."""
    worker_ids: List[str]
    """Ids of the first 20 workers on which they failed."""


class FailureGroup(_FailureGroupRequired, total=False):
    """The schema FailureGroup."""

    error_line: str
    """`error_line` of its first task. In those of the others only the numbers may differ. Absent if they have none.
    """


class NamedWorker(TypedDict):
    """The schema NamedWorker."""

    id: str
    name: str


class JobFailuresAxesItem(TypedDict):
    """The schema JobFailuresAxesItem."""

    step_id: str
    axis: TaskAxis


class JobFailures(TypedDict):
    """The schema JobFailures."""

    job_id: str
    failed_count: Count
    groups: List[FailureGroup]
    is_partial: bool
    """True if only the first 10,000 reasons of the job were read, or only the 100 most common are returned."""
    workers: List[NamedWorker]
    """The workers of all groups that still exist."""
    axes: List[JobFailuresAxesItem]
    """Values of the tasks of the steps with listed tasks, as in the task grid."""


_AppliedRetryRuleRaisedKeywords = TypedDict("_AppliedRetryRuleRaisedKeywords", {"from": "float"})


class AppliedRetryRuleRaised(_AppliedRetryRuleRaisedKeywords):
    """The schema AppliedRetryRuleRaised."""

    amount: str
    to: float
    """Equal to `from` if another task had caused the raise already."""


class _AppliedRetryRuleRequired(TypedDict):
    """The retry rule that has decided about a failed attempt."""

    rule: str
    """Its name."""
    level: RetryRuleLevel
    action: RetryAction
    version: str
    """The `retry_rules_version` of its list at that time."""
    because: str
    """The conditions that matched."""
    times: int
    """How often it had applied to the task, this time included."""
    max_times: int
    backoff_seconds: int
    sentence: str
    """The decision in one sentence."""


class AppliedRetryRule(_AppliedRetryRuleRequired, total=False):
    """The retry rule that has decided about a failed attempt."""

    of: str
    """Name of the queue or usage pool; absent for a rule of the job."""
    pool: str
    """The usage pool that was held back."""
    raised: AppliedRetryRuleRaised


class _PreemptionRequired(TypedDict):
    """Why a running task was taken back: a task of a queue that preempts had waited for too long
    (docs/policy.md#preemption)."""

    queue_id: str
    """The queue of the waiting task."""
    queue: str
    """Its name at that time."""
    waited_seconds: int
    after_seconds: int
    """The `preempt_after_seconds` of the queue at that time."""
    sentence: str
    """The decision in one sentence."""


class Preemption(_PreemptionRequired, total=False):
    """Why a running task was taken back: a task of a queue that preempts had waited for too long
    (docs/policy.md#preemption)."""

    job_id: str
    """The job of the waiting task. It and `step_id` are absent if the reader may not see the job."""
    step_id: str
    policy_version: int
    """The `preemption_version` of the queue at that time. Absent if an earlier release has decided."""


class _AttemptRequired(TypedDict):
    """The schema Attempt."""

    attempt_number: int
    status: Literal["running", "succeeded", "failed", "canceled"]
    started_at: Timestamp


class Attempt(_AttemptRequired, total=False):
    """The schema Attempt."""

    worker_id: str
    exit_code: int
    max_rss_mib: int
    """Highest memory of the task's processes in MiB, with the file cache that the kernel charges to them. Absent if
    the worker does not know it."""
    cpu_seconds: float
    """CPU time of all processes of the task. Absent if the worker does not know it."""
    message: str
    failure_excerpt: str
    """Last line of the log of the failed attempt that looks like an error, after up to four lines that precede it
    (docs/task-logs.md#failure-excerpt). Absent if the attempt has not failed or has no output."""
    reclaimed: bool
    """Present and true if the service took the task back, or the worker returned it. `status` is `failed`, but the
    attempt does not count as a failure. Show it as canceled, with `message`."""
    retry_rule: AppliedRetryRule
    """The retry rule that has decided about the failed attempt."""
    outage: AttemptOutage
    preemption: Preemption
    """Why the task was taken back. `status` is `canceled`, but the attempt does not count as a failure, and the
    task runs again."""
    ended_at: Timestamp


class TaskDetails(TypedDict):
    """The schema TaskDetails."""

    job_name: str
    step_name: str
    attempts: List[Attempt]
    """Oldest first, as in `GET /tasks/{id}/attempts`."""
    workers: List[NamedWorker]
    """The workers of the attempts that still exist."""
    has_outputs: bool
    """True if `GET /tasks/{id}/outputs` has any."""


class _TaskRequired(TypedDict):
    """The schema Task."""

    id: str
    job_id: str
    step_id: str
    name: str
    status: TaskStatus
    created_at: Timestamp
    updated_at: Timestamp
    failed_attempts: Count


class Task(_TaskRequired, total=False):
    """The schema Task."""

    parameters: Dict[str, str]
    assigned_worker_id: str
    """The worker of the current or last attempt."""
    assigned_at: Timestamp
    started_at: Timestamp
    """Assignment time of the current or last attempt, equal to its `started_at`. Absent while the task waits for
    one."""
    ended_at: Timestamp
    """Time at which an assigned task succeeded, failed or was canceled."""
    unschedulable_reason: str
    """Only while the task is ready and no online worker can run it."""
    failure_reason: str
    """Why it failed or was canceled. For an expression that could not be evaluated, three lines, like the `detail`
    of an error."""
    error_line: str
    """Last line of the log of its last attempt that looks like an error (docs/task-logs.md#failure-excerpt). Only
    while the task is failed. Absent if the worker reported none."""
    skipped: TaskSkipNote
    """Who skipped the task. Only while its status is `succeeded` for that reason."""
    retry_after: Timestamp
    progress: float
    """Progress reported by the task (`openjd_progress`) in its current or last attempt. Absent if the task reports
    none. Changes do not affect `updated_at`."""
    status_message: str
    """Status message of the task (`openjd_status`), on one line. Absent if there is none."""
    waiting_reason: str
    """Why the pending or ready task waits: the `summary` of explain, at most a second old. Absent if it does not
    wait, and if the reason is unknown."""
    details: TaskDetails
    """Only in the reply for one task, with `details=true`."""


class TaskPage(TypedDict):
    """The schema TaskPage."""

    items: List[Task]
    total: Count
    limit: int
    offset: int


class TaskCancellation(TypedDict):
    """The schema TaskCancellation."""

    task_id: str
    status: Literal["canceled"]


class TaskRetry(TypedDict):
    """The schema TaskRetry."""

    task_id: str
    status: Literal["ready", "pending"]
    retried: Count
    """Retried tasks of the job; more than 1 only with `with_dependents`."""
    dependents: List[RetriedDependent]
    """Retried dependents of the job; empty without `with_dependents`."""


class AttemptList(TypedDict):
    """The schema AttemptList."""

    items: List[Attempt]


class JobGate(TypedDict):
    """The job of the task has ended."""

    gate: Literal["job"]
    reason: Literal["job completed", "job failed", "job canceled"]
    sentence: str
    status: Literal["completed", "failed", "canceled"]


class NamedResource(TypedDict):
    """The schema NamedResource."""

    id: str
    name: str


class UpstreamProgress(TypedDict):
    """The schema UpstreamProgress."""

    total: Count
    left: int
    """Tasks that have not ended."""
    running: int
    """Assigned or running."""
    failed: Count


class _UpstreamJobGateRequired(TypedDict):
    """A job that must complete first. `status` and `progress` are absent if it no longer exists. `job` is absent
    too if it belongs to another user and the principal has no permission `jobs.read.all`."""

    gate: Literal["upstream_job"]
    reason: Literal["upstream job not completed"]
    sentence: str


class UpstreamJobGate(_UpstreamJobGateRequired, total=False):
    """A job that must complete first. `status` and `progress` are absent if it no longer exists. `job` is absent
    too if it belongs to another user and the principal has no permission `jobs.read.all`."""

    job: NamedResource
    status: JobStatus
    progress: UpstreamProgress


class UpstreamStepGate(TypedDict):
    """A step of the same job that must complete first."""

    gate: Literal["upstream_step"]
    reason: Literal["upstream step not completed"]
    sentence: str
    step: NamedResource
    status: StepStatus
    progress: UpstreamProgress


class _PausedJobGateRequired(TypedDict):
    """The job is paused by a user, or parked by its failures."""

    gate: Literal["paused_job"]
    reason: Literal["job paused", "job parked"]
    sentence: str
    failed_attempts: Count


class PausedJobGate(_PausedJobGateRequired, total=False):
    """The job is paused by a user, or parked by its failures."""

    park_reason: str


class StartGate(TypedDict):
    """The job waits for its start time."""

    gate: Literal["start_after"]
    reason: Literal["start time not reached"]
    sentence: str
    until: Timestamp


class HeldStepGate(TypedDict):
    """A user holds the step."""

    gate: Literal["held_step"]
    reason: Literal["step held"]
    sentence: str
    step: NamedResource


class CanaryGate(TypedDict):
    """Other tasks of the step are tried first: its canary tasks."""

    gate: Literal["canary"]
    reason: Literal["canary tasks first"]
    sentence: str
    step: NamedResource
    indices: List[int]
    """Positions of the canary tasks in the step, from 0."""


class PausedQueueGate(TypedDict):
    """The queue is paused."""

    gate: Literal["paused_queue"]
    reason: Literal["queue paused"]
    sentence: str
    queue: NamedResource


class _RetryGateRequired(TypedDict):
    """The task has failed and waits for its retry."""

    gate: Literal["retry_after"]
    reason: Literal["retry back-off"]
    sentence: str
    until: Timestamp
    failed_attempts: Count
    max_attempts: MaxAttempts


class RetryGate(_RetryGateRequired, total=False):
    """The task has failed and waits for its retry."""

    retry_rule: AppliedRetryRule
    """The retry rule that holds the task back; absent if its retry delay does."""


class SlotHolder(TypedDict):
    """Active tasks of one step that hold the resource that the task waits for."""

    farm: NamedResource
    job: NamedResource
    step: NamedResource
    live: Count


class FarmCapGate(TypedDict):
    """The farm is at its cap of active tasks."""

    gate: Literal["farm_cap"]
    reason: Literal["farm at max_concurrent_tasks"]
    sentence: str
    limit: Count
    live: Count
    holders: List[SlotHolder]


class QueueCapGate(TypedDict):
    """The queue is at its cap of active tasks."""

    gate: Literal["queue_cap"]
    reason: Literal["queue at max_concurrent_tasks"]
    sentence: str
    queue: NamedResource
    limit: Count
    live: Count
    holders: List[SlotHolder]


class _OwnerCapGateRequired(TypedDict):
    """The owner of the job is at a cap of active tasks, of the queue or, without `queue`, of the farm."""

    gate: Literal["owner_cap"]
    reason: Literal["owner at cap"]
    sentence: str
    owner: str
    limit: Count
    live: Count
    holders: List[SlotHolder]


class OwnerCapGate(_OwnerCapGateRequired, total=False):
    """The owner of the job is at a cap of active tasks, of the queue or, without `queue`, of the farm."""

    queue: NamedResource


class _ProjectCapGateRequired(TypedDict):
    """The project of the job is at a cap of active tasks, of the queue or, without `queue`, of the farm."""

    gate: Literal["project_cap"]
    reason: Literal["project at cap"]
    sentence: str
    project: str
    limit: Count
    live: Count
    holders: List[SlotHolder]


class ProjectCapGate(_ProjectCapGateRequired, total=False):
    """The project of the job is at a cap of active tasks, of the queue or, without `queue`, of the farm."""

    queue: NamedResource


class JobCapGate(TypedDict):
    """The job is at its own cap of active tasks."""

    gate: Literal["job_cap"]
    reason: Literal["job at max_concurrent_tasks"]
    sentence: str
    limit: Count
    live: Count
    holders: List[SlotHolder]


class StepCapGate(TypedDict):
    """The step is at its own cap of active tasks."""

    gate: Literal["step_cap"]
    reason: Literal["step at max_concurrent_tasks"]
    sentence: str
    step: NamedResource
    limit: Count
    live: Count


class _UsagePoolGateRequired(TypedDict):
    """A usage pool that the task requires has no free slot."""

    gate: Literal["usage_pool"]
    reason: Literal["usage pool at capacity", "usage pool held back"]
    sentence: str
    pool: str
    registered: bool
    """A pool that is not registered has no slots."""
    limit: Count
    live: Count
    holders: List[SlotHolder]


class UsagePoolGate(_UsagePoolGateRequired, total=False):
    """A usage pool that the task requires has no free slot."""

    max_concurrent: Count
    """The configured slots. Only while fewer were measured; `limit` is the measured value then."""
    measured_at: Timestamp
    """Time of the measurement. Present with `max_concurrent`."""
    hold: UsagePoolHold
    """Only while the pool is held back."""


class _WorkersGateRequired(TypedDict):
    """No online worker can run the task. The reason is that of the nearest miss."""

    gate: Literal["workers"]
    reason: Literal["no online workers", "farm mismatch", "queue affinity", "compute location mismatch", "amount requirement not met", "attribute requirement not met", "the worker's advertised expression limits are tighter than the server's"]
    sentence: str
    online: Count
    elsewhere: Count
    rejected: List[RejectedWorkers]


class WorkersGate(_WorkersGateRequired, total=False):
    """No online worker can run the task. The reason is that of the nearest miss."""

    nearest_miss: NearestMiss


class OutageGate(TypedDict):
    """Something that the task needs, and many jobs share, has an outage."""

    gate: Literal["outage"]
    reason: Literal["outage"]
    sentence: str
    outages: List[Outage]


class _WorkerDoubtRequired(TypedDict):
    """Why a worker gets no tasks, of a step or at all."""

    kind: Literal["suspected", "quarantined"]
    """A suspicion ends by itself; a quarantine ends when it is lifted."""
    since: Timestamp
    reason: str


class WorkerDoubt(_WorkerDoubtRequired, total=False):
    """Why a worker gets no tasks, of a step or at all."""

    policy_version: int
    """Of a quarantine, the `quarantine_version` of the farm at that time."""


class QuarantineGateDoubtedItem(WorkerDoubt):
    """The schema QuarantineGateDoubtedItem."""

    worker_id: str
    worker: str
    whole: bool
    """Whether it gets no tasks at all; otherwise none of the step."""


class QuarantineGate(TypedDict):
    """Workers that could run the task are kept from it because of their failures. Other workers get it first."""

    gate: Literal["quarantine"]
    reason: Literal["workers in quarantine"]
    sentence: str
    doubted: List[QuarantineGateDoubtedItem]
    """At most 20 of these workers."""


class _CoresGateRequired(TypedDict):
    """Workers can run the task, but none has enough free cores."""

    gate: Literal["cores"]
    reason: Literal["no free cores"]
    sentence: str
    eligible: Count


class CoresGate(_CoresGateRequired, total=False):
    """Workers can run the task, but none has enough free cores."""

    cores: int
    """Cores that the task reserves; absent for a whole machine."""


class ShortAmount(TypedDict):
    """A booked amount of which eligible workers have too little free."""

    amount: str
    needed: float
    """What one task takes; on workers of different sizes, the smallest."""
    most_free: float
    """The most that one of these workers has free; for memory of GPUs, on one GPU."""
    workers: Count


class AmountsGate(TypedDict):
    """Workers can run the task, but none has enough of the amounts free that the farm books. Cores have their own
    gate."""

    gate: Literal["amounts"]
    reason: Literal["no free amounts"]
    sentence: str
    short: List[ShortAmount]
    eligible: Count
    policy_version: int
    """That of the farm."""


class _OrderGateRequired(TypedDict):
    """Other tasks are ahead of it. Without the permission `jobs.read.all`, their numbers are absent if tasks of
    other jobs are among them."""

    gate: Literal["order"]
    reason: Literal["tasks before it"]
    sentence: str


class OrderGate(_OrderGateRequired, total=False):
    """Other tasks are ahead of it. Without the permission `jobs.read.all`, their numbers are absent if tasks of
    other jobs are among them."""

    tasks: Count
    jobs: Count


class SchedulerGate(TypedDict):
    """The scheduler has no information about the task at the moment."""

    gate: Literal["scheduler"]
    reason: Literal["scheduler not answering", "not among the candidates", "canceled attempt not ended"]
    sentence: str


Gate = Union[JobGate, UpstreamJobGate, UpstreamStepGate, PausedJobGate, StartGate, HeldStepGate, CanaryGate, PausedQueueGate, RetryGate, FarmCapGate, QueueCapGate, OwnerCapGate, ProjectCapGate, JobCapGate, StepCapGate, UsagePoolGate, WorkersGate, OutageGate, QuarantineGate, CoresGate, AmountsGate, OrderGate, SchedulerGate]


class WorkerFailures(TypedDict):
    """The schema WorkerFailures."""

    worker_id: str
    worker: str
    """Its name."""
    failures: Count
    last_at: Timestamp


class QueuePosition(TypedDict):
    """Ready tasks ahead of this one, on workers that can run both. Absent if the task is not among the candidates,
    or no worker can run it."""

    tasks: Count
    jobs: int
    """Other jobs that they belong to."""


class QueueShareAheadItem(TypedDict):
    """The schema QueueShareAheadItem."""

    sharer: str
    jobs: Count
    tasks: Count


class _QueueShareRequired(TypedDict):
    """The owner, project, job or queue that the task belongs to, and what its tasks use of the farm
    (docs/policy.md#queue-policies). Only for a candidate of a farm whose queue policy is not fifo. Without the
    permission `jobs.read.all`, `ahead` is empty, and what projects and queues use is absent."""

    sentence: str
    queue_policy: Literal["balanced", "weighted"]
    shared_by: SharedBy
    sharer: str
    """The owner, the project, or the id of the job or queue."""
    ahead: List[QueueShareAheadItem]
    """Others whose tasks come first, at most three."""
    queue_policy_version: int
    """That of the farm."""


class QueueShare(_QueueShareRequired, total=False):
    """The owner, project, job or queue that the task belongs to, and what its tasks use of the farm
    (docs/policy.md#queue-policies). Only for a candidate of a farm whose queue policy is not fifo. Without the
    permission `jobs.read.all`, `ahead` is empty, and what projects and queues use is absent."""

    cores_in_use: float
    share_ratio: float
    """What it uses by its weight, divided by what all that have tasks use by their weights together: 1 is a fair
    share. For balanced, cores in use; for weighted, past usage. Absent if none has used anything."""


class _WorkersOutlookRequired(TypedDict):
    """Workers that can run the task. Absent if the scheduler was not queried or did not answer."""

    online: int
    """Workers of the farm that are online."""
    elsewhere: int
    """Workers of other farms that are online."""
    eligible: int
    """Online workers of the farm that can run the task."""
    with_room: int
    """Eligible workers with enough free cores that are not reserved for another step."""
    rejected: List[RejectedWorkers]
    """Number of the farm's online workers that cannot run it, by the first gate that they fail."""
    avoided: List[NamedResource]
    """Workers on which the task has failed; avoided while another eligible one is online."""


class WorkersOutlook(_WorkersOutlookRequired, total=False):
    """Workers that can run the task. Absent if the scheduler was not queried or did not answer."""

    reserved: NamedResource
    """The worker reserved for the step of the task."""


class _TaskExplanationRequired(TypedDict):
    """The schema TaskExplanation."""

    task_id: str
    job_id: str
    step_id: str
    name: str
    status: TaskStatus
    at: Timestamp
    summary: str
    """One sentence with the most important fact first."""
    gates: List[Gate]
    """Everything that delays the task, from its job down to its position in the order. Empty for an active or ended
    task."""
    failures: List[WorkerFailures]
    """Genuine failures of tasks of the step by worker, most first."""


class TaskExplanation(_TaskExplanationRequired, total=False):
    """The schema TaskExplanation."""

    position: QueuePosition
    share: QueueShare
    workers: WorkersOutlook
    attempt: Attempt
    """The latest failure; absent before the first."""
    chunks: str
    """The size of the step's chunks and its reason. Only for a waiting task of a step whose chunks have a target
    run time."""


class LogChunk(TypedDict):
    """The schema LogChunk."""

    id: str
    task_id: str
    attempt_id: str
    seq_num: int
    bus_seq: int
    """The cursor of the log."""
    stream: str
    data: str
    at: Timestamp
    received_at: Timestamp


class LogPosition(TypedDict):
    """Where a page begins in the log of an attempt; only with `from_line`."""

    lines: int
    """Number of lines that are complete before the page."""
    stdout_open: int
    """Characters of an incomplete line of stdout before the page."""
    stderr_open: int
    """Characters of an incomplete line of stderr before the page."""


class _LogPageRequired(TypedDict):
    """The schema LogPage."""

    items: List[LogChunk]
    after_bus_seq: int
    """Cursor of the next page."""


class LogPage(_LogPageRequired, total=False):
    """The schema LogPage."""

    position: LogPosition


class Providers(TypedDict):
    """The schema Providers."""

    local: bool
    ldap: bool
    oidc: bool
    auth_enabled: bool
    """True if requests need a credential."""


Username = str


class Login(TypedDict):
    """The schema Login."""

    username: str
    password: str


class LoggedOut(TypedDict, total=False):
    """The schema LoggedOut."""

    redirect_url: str
    """Page at which the browser signs out at the provider."""


class _UserRequired(TypedDict):
    """The schema User."""

    id: str
    username: str
    display_name: str
    role: Role
    disabled: bool
    auth_source: AuthSource
    created_at: Timestamp
    updated_at: Timestamp


class User(_UserRequired, total=False):
    """The schema User."""

    external_id: str
    """Stable id in the directory or at the provider."""


DisplayName = str


class _UserInputRequired(TypedDict):
    """The schema UserInput."""

    username: Username
    password: str


class UserInput(_UserInputRequired, total=False):
    """The schema UserInput."""

    display_name: DisplayName
    role: Role


class UserUpdate(TypedDict, total=False):
    """The schema UserUpdate."""

    display_name: DisplayName
    role: Role
    disabled: bool


class PasswordInput(TypedDict):
    """The schema PasswordInput."""

    password: str


class ApiKey(TypedDict):
    """The schema ApiKey."""

    id: str
    name: str
    prefix: str
    """The first 12 characters of the key."""
    expires_at: Optional[Timestamp]
    """Null if the key does not expire."""
    last_used_at: Optional[Timestamp]
    """At most one minute old. Null if the key was never used."""
    created_at: Timestamp


class NewApiKey(ApiKey):
    """The schema NewApiKey."""

    secret: str
    """The key. It is not shown again."""


class _ApiKeyInputRequired(TypedDict):
    """The schema ApiKeyInput."""

    name: Name


class ApiKeyInput(_ApiKeyInputRequired, total=False):
    """The schema ApiKeyInput."""

    expires_at: Optional[Timestamp]


CommandSecret = str


class CommandGrantInput(TypedDict):
    """The schema CommandGrantInput."""

    challenge: str
    """SHA-256 of the command's verifier in base64url."""
    host: str
    """Name of the computer on which the command runs. It becomes part of the name of the key."""


class CommandGrant(TypedDict):
    """The schema CommandGrant."""

    code: CommandSecret
    expires_in: int
    """Seconds in which the command must use the code."""


class CommandToken(TypedDict):
    """The schema CommandToken."""

    code: CommandSecret
    verifier: CommandSecret


class PrincipalUpdate(TypedDict, total=False):
    """The schema PrincipalUpdate."""

    display_name: DisplayName


class PasswordChange(TypedDict):
    """The schema PasswordChange."""

    current_password: str
    new_password: str


AuditOutcome = Literal["denied", "changed", "failed", "decided"]


class AuditDecision(TypedDict):
    """A running task that a queue has taken back (docs/policy.md#preemption). Only with the outcome `decided`:
    `method` is `PREEMPT` then, `path` that of the task, `status` 0, and the other fields of a request are empty."""

    kind: Literal["preemption"]
    attempt_id: str
    """The attempt that was ended."""
    worker_id: str
    from_queue_id: str
    """The queue of the task that was taken back."""
    preemption: Preemption


class _AuditEntryRequired(TypedDict):
    """The schema AuditEntry."""

    id: str
    """Entries are ordered by their ids."""
    at: Timestamp
    actor: str
    """Username of the sender; empty if the sender is not known. After a failed sign-in the account that was named,
    if it exists."""
    method: str
    """Method of the request. `SUBSCRIBE` for a subject of the event channel, `PREEMPT` for a decision of the
    service."""
    path: str
    """Path of the request without its query, at most 200 characters."""
    permission: str
    """The permission that the request needs, `authenticated` or `public`; empty if the path or method does not
    exist."""
    status: int
    """Status of the response; 0 for a decision of the service."""
    outcome: AuditOutcome
    request_id: str
    remote_addr: str
    """Address of the client. Behind a proxy, an IPv6 address is given as its /64."""


class AuditEntry(_AuditEntryRequired, total=False):
    """The schema AuditEntry."""

    actor_id: str
    """Id of the account that sent the request with a valid credential."""
    operation: str
    """The `operationId` of the request; omitted if the path or method does not exist."""
    reason: str
    """Why the request was denied, or why its user makes the change, if its body has a `reason`."""
    targets: List[str]
    """Ids or names of what was created or changed, as far as the path and the response name it; at most 100."""
    target_count: int
    """Number of targets, if there are more than 100."""
    dropped: int
    """Denied requests before this one that were not recorded, because there were too many at once."""
    decision: AuditDecision


class _AuditPageRequired(TypedDict):
    """The schema AuditPage."""

    items: List[AuditEntry]


class AuditPage(_AuditPageRequired, total=False):
    """The schema AuditPage."""

    next: str
    """Pass it as `before` for older entries. Omitted if there are none."""


class WorkerCredential(TypedDict):
    """The credential of a worker on a bus with authentication."""

    issued_at: Timestamp
    """When the worker got its present key, by joining or renewing."""
    expires_at: Timestamp
    """The worker renews its key before that time."""
    token_id: str
    """Token with which the worker has joined."""
    revoked: bool


class _WorkerRequired(TypedDict):
    """The schema Worker."""

    id: str
    name: str
    hostname: str
    farm_id: str
    status: WorkerStatus
    compute_location: str
    cpu_count: Count
    committed_cores: int
    """Cores reserved by the assigned and running tasks of the worker."""
    current_task_count: int
    """Assigned and running tasks of the worker."""
    memory_mib: Count
    gpu_count: Count
    gpu_memory_mib: int
    """Memory of the GPU with the least memory; 0 without a GPU, or if it is unknown."""
    gpu_models: List[str]
    """One per GPU. Empty if they are unknown."""
    scratch_mib: int
    """Size of the file system with the session directories; 0 if it is unknown."""
    os: str
    os_version: str
    """Value of attr.worker.os.version, for example debian-12; empty if it is unknown."""
    isolation: List[str]
    """Parts of isolation that apply to all tasks of the worker, for example private_tmp. A step can require one as
    the attribute svc:attr.worker.isolation.private_tmp with the value true."""
    extensions: List[str]
    """Extensions of OpenJD, for example WRAP_ACTIONS, that the worker runs and workers of earlier versions do not.
    Tasks of a step that needs one run only on such workers."""
    arch: str
    version: str
    settings_version: SettingsVersion
    queue_ids: List[str]
    """Empty for every queue of the farm."""
    tags: Dict[str, str]
    last_heartbeat_at: Timestamp
    """Time of the last stored heartbeat. A heartbeat without changes is not always stored: the last one may be up
    to 15 s newer, or half of `scheduler.heartbeat_timeout` if that is less."""
    registered_at: Timestamp
    failed_attempts: int
    """Failures reported by the worker since its registration. Reclaimed work does not count."""
    credential: Optional[WorkerCredential]
    """Null for a worker that has not joined with a token."""


class Worker(_WorkerRequired, total=False):
    """The schema Worker."""

    booked_amounts: List[BookedAmount]
    """What the assigned and running tasks of all jobs hold of the amounts that the farm books. Empty if it books
    only cores."""
    booked_gpus: List[int]
    """Indices of the GPUs that tasks have, ascending. Two tasks can share one by its memory."""
    custom_amounts: Dict[str, float]
    """Further amounts of the worker by name, from its setting `worker.amounts`."""
    disabled: WorkerDisabling
    """Who has disabled the worker. Only while it is disabled, and only if it is known."""
    failing_jobs: int
    """Number of different jobs with a failed task on this worker in the last hour. Only if it is at least 3, and
    the worker is not disabled: the cause is probably the worker."""
    quarantine: WorkerDoubt
    """Why it gets no tasks: a quarantine as a whole, or a suspicion, which has no effect while more than a tenth of
    the online workers are suspected. Absent if there is neither."""
    draining: bool
    """Present while the worker is draining: it takes no tasks, and its current ones are still running."""


WorkerTokenStatus = Literal["active", "used_up", "revoked"]


class WorkerToken(TypedDict):
    """The schema WorkerToken."""

    id: str
    status: WorkerTokenStatus
    farm_id: Optional[str]
    """Farm of workers that join with the token. Null if the worker selects the farm itself."""
    tags: Dict[str, str]
    """Tags that these workers get. They replace those of the same name in the worker's configuration."""
    uses: int
    """Number of workers that can join with the token in all."""
    uses_left: Count
    created_by: str
    """Username of who created it; `anonymous` while authentication (`auth.enabled`) was off."""
    created_at: Timestamp
    expires_at: Timestamp
    last_used_at: Optional[Timestamp]
    """Null if no worker has joined with it."""
    revoked_at: Optional[Timestamp]
    """Null if it is not revoked."""


class NewWorkerToken(WorkerToken):
    """The schema NewWorkerToken."""

    token: str
    """The token. It is not shown again."""
    command: str
    """Command that starts a worker with the token. It is not shown again."""


class WorkerTokenInput(TypedDict, total=False):
    """The schema WorkerTokenInput."""

    farm_id: Optional[str]
    """Null or absent if workers select the farm themselves."""
    tags: Dict[str, str]
    uses: int
    """Number of workers that can join with the token."""
    expires_in: str
    """Lifetime from `1m` to `2160h` (90 days), a whole number without leading zeros and the unit `s`, `m` or `h`.
    """


WebhookEventType = Literal["job.completed", "job.failed", "job.canceled", "job.parked", "worker.offline", "pool.exhausted", "outage.began", "outage.ended"]


WebhookFormatName = str


WebhookUrl = str


class _WebhookReplacementRequired(TypedDict):
    """The schema WebhookReplacement."""

    name: Name
    events: List[WebhookEventType]


class WebhookReplacement(_WebhookReplacementRequired, total=False):
    """The schema WebhookReplacement."""

    url: WebhookUrl
    format: WebhookFormatName
    farm_id: Optional[str]
    """Only events of this farm. Null or absent for all farms. Usage pools belong to no farm."""
    queue_id: Optional[str]
    """Only events of jobs of this queue. Null or absent for all."""
    owner: Optional[str]
    """Only events of jobs of this owner, without regard to case. Null or absent for all."""
    enabled: bool
    """Whether events are queued and sent. Deliveries of a disabled webhook wait."""


class _WebhookInputRequired(TypedDict):
    """The schema WebhookInput."""

    name: Name
    url: WebhookUrl
    events: List[WebhookEventType]


class WebhookInput(_WebhookInputRequired, total=False):
    """The schema WebhookInput."""

    format: WebhookFormatName
    farm_id: Optional[str]
    """Only events of this farm. Null or absent for all farms. Usage pools belong to no farm."""
    queue_id: Optional[str]
    """Only events of jobs of this queue. Null or absent for all."""
    owner: Optional[str]
    """Only events of jobs of this owner, without regard to case. Null or absent for all."""
    enabled: bool
    """Whether events are queued and sent. Deliveries of a disabled webhook wait."""


class Webhook(TypedDict):
    """The schema Webhook."""

    id: str
    name: str
    endpoint: str
    """Origin of the URL. The rest of it often contains a secret and is not shown."""
    format: WebhookFormatName
    events: List[WebhookEventType]
    farm_id: Optional[str]
    queue_id: Optional[str]
    owner: Optional[str]
    enabled: bool
    disabled_reason: Optional[Literal["gone", "account-deleted"]]
    """Why the service has disabled it: the receiver answered with 410 (`gone`), or the account that created it was
    deleted. Null if it has not."""
    pending: Count
    failures: int
    """Number of failed attempts since the last successful one."""
    missed: int
    """Number of all events that were not queued, because 1000 deliveries were waiting."""
    last_success_at: Optional[Timestamp]
    last_failure_at: Optional[Timestamp]
    last_error: Optional[str]
    """Why the last failed attempt failed."""
    previous_secret_until: Optional[Timestamp]
    """Until when the previous key signs as well; null if it does not."""
    created_by: str
    """Username of who created it; `anonymous` while authentication (`auth.enabled`) was off."""
    created_at: Timestamp
    updated_at: Timestamp


class NewWebhook(Webhook):
    """The schema NewWebhook."""

    secret: str
    """Key of the signature. It is not shown again."""


class WebhookAttempt(TypedDict):
    """The schema WebhookAttempt."""

    at: Timestamp
    duration_ms: int
    status: Optional[int]
    """Status of the response; null without one."""
    error: Optional[str]
    """Why it failed; null if it succeeded."""


class WebhookDelivery(TypedDict):
    """The schema WebhookDelivery."""

    id: str
    """Header `X-Callsheet-Delivery`, the same in each attempt."""
    event_id: str
    """Id of the event, the same for all webhooks."""
    type: Literal["job.completed", "job.failed", "job.canceled", "job.parked", "worker.offline", "pool.exhausted", "outage.began", "outage.ended", "webhook.test"]
    """Type of the event; `webhook.test` for a test."""
    status: Literal["pending", "delivered", "failed"]
    attempts: Count
    missed_before: int
    """Number of events directly before this one that were not queued."""
    created_at: Timestamp
    next_at: Optional[Timestamp]
    """Earliest time of the next attempt. Null after the end."""
    ended_at: Optional[Timestamp]
    last_attempt: Optional[WebhookAttempt]


class WebhookFormat(TypedDict):
    """The schema WebhookFormat."""

    name: WebhookFormatName
    title: str


class WorkerStanding(TypedDict):
    """The schema WorkerStanding."""

    id: str
    status: WorkerStatus


class _WorkerPageRequired(TypedDict):
    """The schema WorkerPage."""

    items: List[Worker]
    total: Count
    limit: int
    offset: int


class WorkerPage(_WorkerPageRequired, total=False):
    """The schema WorkerPage."""

    summary: WorkerSummary


class WorkerStepFailures(TypedDict):
    """The schema WorkerStepFailures."""

    job_id: str
    job_name: str
    step_id: str
    step_name: str
    failures: int
    """Failures of tasks of the step that the worker has reported."""
    last_at: Timestamp


class WorkerDetailHistory(WorkerHistory):
    """As in `GET /workers/{id}/history`, of the last three hours. Only with `history=true`."""


class _WorkerBookingRequired(TypedDict):
    """The schema WorkerBooking."""

    attempt_id: str
    cores: float
    amounts: Dict[str, float]
    """Booked amounts by name, besides cores."""
    gpus: List[int]
    """Indices of its GPUs."""


class WorkerBooking(_WorkerBookingRequired, total=False):
    """The schema WorkerBooking."""

    policy_version: int
    """That of the farm when the task was assigned. Absent if it holds only cores."""
    assigned_because: str
    """Why it came first when it was assigned. Absent if the queue policy of the farm was fifo."""
    queue_policy_version: int
    """That of the farm when the task was assigned. Absent if its queue policy was fifo."""


class _WorkerStepEvidenceRequired(TypedDict):
    """The schema WorkerStepEvidence."""

    job_id: str
    job_name: str
    step_id: str
    step_name: str
    failed_open: int
    """Tasks that failed on the worker and have not ended elsewhere yet."""
    failed_only_here: int
    """Tasks that failed on the worker and succeeded on another one."""
    failed_everywhere: int
    """Tasks that also failed on another worker."""
    succeeded: int
    """Tasks of the step that succeeded on the worker since its first failure that counts."""
    others_failed: int
    """Failed attempts of the step on other workers."""
    others_succeeded: int
    """Succeeded attempts of the step on other workers."""
    odds: float
    """Natural logarithm of the odds that the failures are the worker's fault."""
    last_at: Timestamp


class WorkerStepEvidence(_WorkerStepEvidenceRequired, total=False):
    """The schema WorkerStepEvidence."""

    quarantine: WorkerDoubt
    """Why it gets no tasks of the step. Absent if it does."""


class _WorkerDetailRequired(Worker):
    """The schema WorkerDetail."""

    current_tasks: List[Task]
    failures: List[WorkerStepFailures]
    """By step, for the 50 steps that failed last on the worker, latest first."""


class WorkerDetail(_WorkerDetailRequired, total=False):
    """The schema WorkerDetail."""

    history: WorkerDetailHistory
    """As in `GET /workers/{id}/history`, of the last three hours. Only with `history=true`."""
    bookings: List[WorkerBooking]
    """What each of its assigned and running tasks holds, in the order of assignment."""
    evidence: List[WorkerStepEvidence]
    """By step, what its failures say about the worker, latest first. Empty unless the farm puts workers in
    quarantine."""


DiagnosticLevel = Literal["DEBUG", "INFO", "WARN", "ERROR"]


class _DiagnosticRecordRequired(TypedDict):
    """The schema DiagnosticRecord."""

    ts: Timestamp
    """With nanoseconds, in UTC; unique within a component."""
    component: str
    """`server` or `worker:<worker id>`."""
    level: DiagnosticLevel
    msg: str


class DiagnosticRecord(_DiagnosticRecordRequired, total=False):
    """The schema DiagnosticRecord."""

    attrs: Dict[str, str]
    """Attributes of the record, including `task_id`, `attempt_id`, `job_id`, `worker_id` and `session_id` if they
    are known."""


class DiagnosticRecords(TypedDict):
    """The schema DiagnosticRecords."""

    records: List[DiagnosticRecord]
