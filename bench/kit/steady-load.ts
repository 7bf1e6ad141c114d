import { setTimeout as delay } from 'node:timers/promises';
import { rangeOf } from './large-templates.ts';
import { registerWorkers } from './plain-swarm.ts';
import { memoryOf, slopeOf } from './process-memory.ts';
import { RawHttpClient } from './raw-http-client.ts';
import { call, makeFarm, startBenchService } from './service.ts';
import { submissionOf, submitTimed } from './submissions.ts';

const TASKS_PER_JOB = 500;
const SAMPLE_MS = 5_000;
/** Time after their end at which jobs are removed. From then on the number of jobs in the store stays constant. */
const RETENTION_S = 60;
/** Share of the time, from its beginning, that is not counted. */
const WARM_UP_SHARE = 0.2;

export interface SteadySample {
  readonly seconds: number;
  readonly resident_mib: number;
  readonly anonymous_mib: number;
  readonly tasks: number;
}

export interface SteadyFigures {
  readonly minutes: number;
  readonly tasks: number;
  readonly jobs: number;
  /** Slope of anonymous memory, without the warm-up. */
  readonly slope_mib_an_hour: number;
  readonly first_mib: number;
  readonly last_mib: number;
  readonly samples: readonly SteadySample[];
}

/**
 * Runs a service under a moderate load for `minutes`: `pace` tasks a second by `workers` workers, in jobs that are
 * submitted, end and expire.
 */
export async function measureSteadyLoad(
  minutes: number,
  pace: number,
  workers: number,
  sampled: (sample: SteadySample) => void,
): Promise<SteadyFigures> {
  const service = await startBenchService([`--scheduler-job-retention=${RETENTION_S}s`]);
  try {
    const farm = { url: service.url, ...(await makeFarm(service.url)) };
    const client = await RawHttpClient.open(service.url);
    const request = submissionOf(farm, JSON.stringify(rangeOf(TASKS_PER_JOB)), 'json');
    await submitTimed(client, request);
    const restMs = Math.max(1, (workers * 1000) / pace);
    const swarm = await registerWorkers(service.busPort, workers, restMs);
    for (const worker of swarm.workers) worker.lease();
    const samples: SteadySample[] = [];
    let jobs = 1;
    const startedAt = performance.now();
    let nextSampleAt = startedAt;
    for (const endsAt = startedAt + minutes * 60_000; performance.now() < endsAt; await delay(100)) {
      while (jobs * TASKS_PER_JOB < swarm.counts.leased + 2 * pace) {
        await submitTimed(client, request);
        jobs += 1;
      }
      if (performance.now() < nextSampleAt) continue;
      nextSampleAt += SAMPLE_MS;
      // Actions of users during the load.
      await call(`${service.url}/api/v1/jobs?limit=50`);
      const memory = memoryOf(service.pid);
      const sample = {
        seconds: Math.round((performance.now() - startedAt) / 1000),
        resident_mib: Math.round(memory.residentMib),
        anonymous_mib: Math.round(memory.anonymousMib * 10) / 10,
        tasks: swarm.counts.leased,
      };
      samples.push(sample);
      sampled(sample);
    }
    for (const worker of swarm.workers) worker.stop();
    client.close();
    const counted = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
    const points = counted.map(({ seconds, anonymous_mib }) => ({ x: seconds / 3600, y: anonymous_mib }));
    return {
      minutes,
      tasks: swarm.counts.leased,
      jobs,
      slope_mib_an_hour: Math.round(slopeOf(points) * 10) / 10,
      first_mib: counted[0]?.anonymous_mib ?? 0,
      last_mib: counted.at(-1)?.anonymous_mib ?? 0,
      samples,
    };
  } finally {
    await service.stop();
  }
}
