import type { Contract } from '../openapi/contract.ts';
import type { Ports } from '../ports.ts';
import { createApiKey, listApiKeys, listUserApiKeys, revokeApiKey, revokeUserApiKey } from './api-keys.ts';
import { listAudit } from './audit.ts';
import { changePassword, getMe, listProviders, login, logout, updateMe } from './auth.ts';
import { bulkJobs } from './bulk-jobs.ts';
import { bulkTasks } from './bulk-tasks.ts';
import { bulkWorkers } from './bulk-workers.ts';
import {
  createComputeLocation,
  deleteComputeLocation,
  getComputeLocation,
  listComputeLocations,
  replaceComputeLocation,
} from './compute-locations.ts';
import { commandSignIn } from './command-sign-in.ts';
import { getDiagnosticLogs } from './diagnostics.ts';
import { explainTask } from './explain.ts';
import { getFarmHistory, getWorkerHistory } from './history.ts';
import { getFarmOverview } from './farm-overview.ts';
import { farmWaitingReader, getFarmWaiting } from './farm-waiting.ts';
import { createFarm, deleteFarm, endOutage, getFarm, listFarms, listOutages, replaceFarm } from './farms.ts';
import {
  getJobSummary,
  getJobTemplate,
  listJobDependents,
  listJobEnvironments,
  listJobFailures,
  listJobSteps,
} from './job-parts.ts';
import { cancelJob, deleteJob, getJob, listJobs, listJobTasks } from './jobs.ts';
import { retryJob, retryTask } from './retry.ts';
import { retryWorkerFailures } from './retry-worker-failures.ts';
import { getSettings } from './settings.ts';
import { getStart } from './start.ts';
import { getCluster } from './cluster.ts';
import { getStats } from './stats.ts';
import { getTaskGrid } from './task-grid.ts';
import { updateJob } from './update-job.ts';
import { getOpenjdSchema } from './openjd-schema.ts';
import { openEvents } from './open-events.ts';
import { listJobOutputs, listTaskOutputs } from './outputs.ts';
import { getTaskPreview, listJobPreviews } from './previews.ts';
import { beginOidcLogin, finishOidcLogin } from './oidc.ts';
import type { Handlers } from './operation.ts';
import { getHealthz, getMetrics, getReadyz, getVersion } from './probes.ts';
import { getPreset, installPreset, listPresets, updatePreset } from './presets.ts';
import {
  createProduct,
  deleteProduct,
  getProduct,
  listProductParameters,
  listProductRevisions,
  listProducts,
  replaceProduct,
} from './products.ts';
import {
  createQueueEnvironment,
  deleteQueueEnvironment,
  getQueueEnvironment,
  listQueueEnvironments,
  listQueueParameters,
  replaceQueueEnvironment,
} from './queue-environments.ts';
import { createQueue, deleteQueue, getQueue, listQueues, replaceQueue } from './queues.ts';
import {
  createStorageLocation,
  deleteStorageLocation,
  getStorageLocation,
  listStorageLocations,
  replaceStorageLocation,
} from './storage-locations.ts';
import { getJobGraph } from './job-graph.ts';
import { getJobOrder } from './job-order.ts';
import { holdStep, releaseStep } from './hold-step.ts';
import { skipJobTasks, skipTask } from './skip.ts';
import { submitJob } from './submit-job.ts';
import { cloneJob } from './clone-job.ts';
import { submitProductJob } from './submit-product-job.ts';
import { downloadTaskLog, getTaskLogs } from './task-logs.ts';
import { cancelTask, getTask, listTaskAttempts } from './tasks.ts';
import {
  createUsagePool,
  deleteUsagePool,
  getUsagePool,
  listUsagePools,
  replaceUsagePool,
} from './usage-pools.ts';
import { getUsagePoolUse } from './usage-pool-use.ts';
import { createUser, deleteUser, getUser, listUsers, setUserPassword, updateUser } from './users.ts';
import { WaitingReasons } from './waiting-reasons.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhookFormats,
  listWebhooks,
  replaceWebhook,
  rotateWebhookSecret,
  testWebhook,
} from './webhooks.ts';
import {
  createWorkerToken,
  listWorkerTokens,
  revokeWorkerCredential,
  revokeWorkerToken,
} from './worker-tokens.ts';
import { listFarmAttempts, listWorkerAttempts } from './worker-attempts.ts';
import {
  deleteWorker,
  disableWorker,
  enableWorker,
  getWorker,
  liftQuarantine,
  listWorkers,
} from './workers.ts';

/** Returns the handlers of all operations. */
export function handlersOf(contract: Contract, ports: Pick<Ports, 'steadyNow' | 'delay'>): Handlers {
  const reasons = new WaitingReasons();
  const readWaiting = farmWaitingReader();
  return {
    getHealthz,
    getReadyz,
    getMetrics,
    getOpenjdSchema,
    getOpenapi: () => ({ kind: 'text', contentType: 'application/yaml', text: contract.text }),
    getVersion,
    listProviders,
    login: login(ports),
    logout,
    getMe,
    updateMe,
    changePassword,
    beginOidcLogin,
    finishOidcLogin,
    ...commandSignIn(ports),
    listUsers,
    createUser,
    getUser,
    updateUser,
    deleteUser,
    setUserPassword,
    listUserApiKeys,
    revokeUserApiKey,
    listApiKeys,
    createApiKey,
    revokeApiKey,
    listAudit,
    getCluster,
    getStats,
    getSettings,
    getStart,
    getFarmHistory,
    getFarmWaiting: getFarmWaiting(readWaiting),
    getFarmOverview: getFarmOverview(readWaiting),
    listFarms,
    createFarm,
    getFarm,
    replaceFarm,
    deleteFarm,
    endOutage,
    listOutages,
    listQueues,
    createQueue,
    getQueue,
    replaceQueue,
    deleteQueue,
    listQueueEnvironments,
    createQueueEnvironment,
    getQueueEnvironment,
    replaceQueueEnvironment,
    deleteQueueEnvironment,
    listQueueParameters,
    listComputeLocations,
    createComputeLocation,
    getComputeLocation,
    replaceComputeLocation,
    deleteComputeLocation,
    listStorageLocations,
    createStorageLocation,
    getStorageLocation,
    replaceStorageLocation,
    deleteStorageLocation,
    listUsagePools,
    createUsagePool,
    getUsagePool,
    getUsagePoolUse,
    replaceUsagePool,
    deleteUsagePool,
    listProducts,
    createProduct,
    getProduct,
    replaceProduct,
    deleteProduct,
    listProductParameters,
    listProductRevisions,
    submitProductJob: submitProductJob(),
    listPresets,
    getPreset,
    installPreset,
    updatePreset,
    submitJob: submitJob(),
    listJobs: listJobs(reasons),
    getJob: getJob(reasons),
    listJobTasks: listJobTasks(reasons),
    updateJob,
    deleteJob,
    cancelJob,
    cloneJob: cloneJob(),
    retryJob,
    skipJobTasks,
    holdStep,
    releaseStep,
    bulkJobs,
    getJobSummary,
    listJobSteps: listJobSteps(reasons),
    listJobFailures,
    getTaskGrid,
    getJobTemplate,
    listJobEnvironments,
    listJobDependents,
    getJobGraph,
    listJobOutputs,
    listTaskOutputs,
    listJobPreviews,
    getTaskPreview,
    getJobOrder,
    getTask: getTask(reasons),
    listTaskAttempts,
    explainTask,
    getTaskLogs,
    downloadTaskLog,
    cancelTask,
    retryTask,
    skipTask,
    bulkTasks,
    listWorkers,
    getWorker,
    getWorkerHistory,
    listWorkerAttempts,
    listFarmAttempts,
    deleteWorker,
    disableWorker,
    enableWorker,
    liftQuarantine,
    bulkWorkers,
    retryWorkerFailures,
    revokeWorkerCredential,
    listWorkerTokens,
    createWorkerToken,
    revokeWorkerToken,
    listWebhooks,
    createWebhook,
    getWebhook,
    replaceWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    listWebhookDeliveries,
    listWebhookFormats,
    getDiagnosticLogs,
    openEvents,
  };
}
