import { textTable } from '../text-table.ts';
import type { LeaseFigures } from './lease-case.ts';
import type { ParkedFigures } from './parked.ts';
import type { LeaseCase } from './case-parameters.ts';

/** Formats a number with separators of thousands. */
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const ratio = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
const time = (ms: number): string => (ms < 10 ? ms.toFixed(2) : ms.toFixed(ms < 100 ? 1 : 0));
const micro = (us: number): string => us.toFixed(1);

/** Jobs run one at a time: the next one starts when a job ends. */
const jobsOf = ({ jobs, tasks, signatures, policy, owners, booked }: LeaseCase | LeaseFigures): string =>
  `${jobs === 1 ? 'of' : `${whole(jobs)} x`} ${whole(tasks)}${signatures > 1 ? `, ${signatures} signatures` : ''}${policy === 'fifo' ? '' : `, ${policy} by ${owners} owners`}${booked === 0 ? '' : `, ${booked} amounts`}`;

/** Returns a short description of a case. */
export const caseName = (of: LeaseCase): string =>
  `${of.workers} workers of ${of.cores}, jobs ${jobsOf(of)}, reports ${of.reports}`;

/** Formats the tables that `bench/lease` prints. */
export function leaseTables(cases: readonly LeaseFigures[], parked: readonly ParkedFigures[]): string {
  const name = (of: LeaseFigures): string[] => [whole(of.workers), String(of.cores), jobsOf(of), of.reports];
  const names = ['workers', 'cores', 'jobs', 'reports'];
  const parts: string[] = [];
  if (cases.length > 0) {
    parts.push(
      'Rates a second: a lease counts when its reply has come, a cycle when its end is committed.\n',
      textTable(
        [
          ...names,
          'leases',
          'cycles',
          'replies',
          'echo',
          'of it',
          'echo 200 B',
          'of it',
          'disk',
          'cycles of it',
        ],
        cases.map((of) => [
          ...name(of),
          whole(of.leases_per_second),
          whole(of.cycles_per_second),
          whole(of.replies_per_second),
          whole(of.echo.per_second),
          ratio(of.leases_to_echo),
          whole(of.echo_200.per_second),
          ratio(of.leases_to_echo_200),
          of.disk === null ? '-' : whole(of.disk.cycles_per_second),
          ratio(of.cycles_to_disk),
        ]),
      ),
      '\nMilliseconds from request to reply with tasks (p50, p99, p99.9), microseconds of processor a lease, resident memory of the service.\n',
      textTable(
        [
          ...names,
          'lease ms',
          'echo ms',
          'service us',
          'bus us',
          'client us',
          'echo: bus us',
          'client us',
          'MiB',
        ],
        cases.map((of) => [
          ...name(of),
          latency(of.latency_ms),
          latency(of.echo.latency_ms),
          micro(of.cpu_us.service),
          micro(of.cpu_us.bus),
          micro(of.cpu_us.client),
          micro(of.echo.cpu_us.bus),
          micro(of.echo.cpu_us.client),
          whole(of.service_resident_mib),
        ]),
      ),
    );
  }
  for (const of of cases) {
    if (of.empty_replies === 0 && of.unconfirmed === 0) continue;
    parts.push(
      `${whole(of.workers)} workers of ${of.cores}: ${of.empty_replies} replies without tasks, ${of.unconfirmed} reports that were not confirmed at once\n`,
    );
  }
  const offered = cases.filter((of) => of.offered !== null);
  if (offered.length > 0) {
    parts.push(
      '\nAt an offered rate, from when a request was meant to be sent.\n',
      textTable(
        [...names, 'offered', 'reached', 'lease ms', 'service us', 'bus us', 'client us'],
        offered.flatMap((of) =>
          of.offered === null
            ? []
            : [
                [
                  ...name(of),
                  whole(of.offered.per_second),
                  whole(of.offered.reached_per_second),
                  latency(of.offered.latency_ms),
                  micro(of.offered.cpu_us.service),
                  micro(of.offered.cpu_us.bus),
                  micro(of.offered.cpu_us.client),
                ],
              ],
        ),
      ),
    );
  }
  if (parked.length > 0) {
    parts.push(
      '\nWorkers that have asked and wait: percent of a core, resident memory.\n',
      textTable(
        ['workers', 'service %', 'bus %', 'swarm %', 'service MiB', 'bus MiB'],
        parked.map((of) => [
          whole(of.workers),
          String(of.service_percent_of_core),
          String(of.bus_percent_of_core),
          String(of.client_percent_of_core),
          whole(of.service_resident_mib),
          whole(of.bus_resident_mib),
        ]),
      ),
    );
  }
  return parts.join('');
}

const latency = ({ p50, p99, p999 }: LeaseFigures['latency_ms']): string =>
  `${time(p50)} ${time(p99)} ${time(p999)}`;
