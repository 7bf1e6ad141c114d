import { usageOf } from './process-usage.ts';
import { RawHttpClient } from './raw-http-client.ts';
import { percentile } from './results.ts';
import { post } from './service.ts';
import { SMALL_YAML } from './small-template.ts';
import { submissionOf, submissionRate, type Place } from './submissions.ts';

const PRODUCTS = 1_000;
/** Rounds of each kind, in turn: their ratio does not depend on how the machine changes. */
const ROUNDS = 3;
const LISTS = 30;

interface ProductFigures {
  /** Processor time of a product submission to that of its template, by round. */
  readonly cost_to_template: readonly number[];
  readonly product_us: number;
  readonly template_us: number;
  readonly list: {
    readonly products: number;
    readonly bytes: number;
    readonly first_ms: number;
    readonly p50_ms: number;
    readonly p99_ms: number;
  };
}

/**
 * Compares submissions of a product with those of its template from the same clients, and measures the list of a
 * thousand stored products with a usual readme.
 */
export async function productFigures(
  place: Place,
  pid: number,
  clients: number,
  seconds: number,
): Promise<ProductFigures> {
  const { url } = place;
  const product = (name: string): object => ({
    name,
    title: 'Render a shot',
    description: 'Renders all frames of a shot.',
    readme: 'What this product needs and writes.\n\n'.repeat(50),
    category: '3D',
    version: '1.0.0',
    template: SMALL_YAML,
  });
  await post(`${url}/api/v1/products`, product('bench/render'));
  const body = JSON.stringify({ farm_id: place.farmId, queue_id: place.queueId, priority: 1 });
  const requests = {
    template: submissionOf(place, SMALL_YAML, 'yaml'),
    product: RawHttpClient.request('POST', '/api/v1/products/bench/render/jobs', 'application/json', body),
  };
  const costUs = async (request: Buffer): Promise<number> => {
    const before = usageOf(pid).cpuSeconds;
    const { per_second: rate } = await submissionRate(url, request, clients, seconds);
    return ((usageOf(pid).cpuSeconds - before) * 1e6) / (rate * (seconds + 0.5));
  };
  const rounds: { readonly product: number; readonly template: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ template: await costUs(requests.template), product: await costUs(requests.product) });
  for (let each = 1; each < PRODUCTS; each += 1)
    await post(`${url}/api/v1/products`, product(`bench/product-${each}`));
  const mean = (kind: 'product' | 'template'): number =>
    Math.round(rounds.reduce((sum, round) => sum + round[kind], 0) / ROUNDS);
  return {
    cost_to_template: rounds.map((round) => Math.round((round.product / round.template) * 100) / 100),
    product_us: mean('product'),
    template_us: mean('template'),
    list: await listFigures(url),
  };
}

async function listFigures(url: string): Promise<ProductFigures['list']> {
  const client = await RawHttpClient.open(url);
  const request = RawHttpClient.request('GET', '/api/v1/products', 'application/json', '');
  const times: number[] = [];
  let bytes = 0;
  for (let each = 0; each <= LISTS; each += 1) {
    const startedAt = performance.now();
    const { status, body } = await client.send(request);
    if (status !== 200) throw new Error(`the list of products was answered with ${status}`);
    times.push(performance.now() - startedAt);
    bytes = body.length;
  }
  client.close();
  const [first = 0, ...later] = times;
  later.sort((a, b) => a - b);
  const rounded = (ms: number): number => Math.round(ms * 100) / 100;
  return {
    products: PRODUCTS,
    bytes,
    first_ms: rounded(first),
    p50_ms: rounded(percentile(later, 0.5)),
    p99_ms: rounded(percentile(later, 0.99)),
  };
}
