import { EXPR_LIMITS } from '../../src/openjd/expr/expr-limits.ts';
import { TEMPLATE_LIMITS } from '../../src/openjd/template/template-limits.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import type { LanguageLimits } from '../threads/pool-task.ts';
import { onHangUp } from '../process/stop-signal.ts';
import type { PreparationPool } from './preparation-pool.ts';
import { ProductFiles } from './product-files.ts';
import type { StartContext } from './start-context.ts';

/** Name under which definition files share the threads with the templates of clients. */
const CLIENT = 'definition files';

/** Returns the limits and further extensions of every template that the service evaluates. */
export const languageLimits = ({ openjd }: ServerConfig): LanguageLimits => ({
  limits: { ...TEMPLATE_LIMITS, maxTasksPerStep: openjd.maxTasksPerStep },
  exprLimits: { ...EXPR_LIMITS, memory: openjd.exprMemoryBytes },
  extraExtensions: openjd.extraExtensions,
});

/**
 * Opens the definition files of products. Those of the operator are read at once, so that their errors are logged at the
 * start, and again on SIGHUP.
 */
export function openProducts({ config, logger }: StartContext, pool: PreparationPool): ProductFiles {
  const { folder, presetsFolder } = config.products;
  const files = new ProductFiles({
    productsFolder: folder,
    presetsFolder,
    define: (text) => pool.define(CLIENT, { kind: 'definition', text, ...languageLimits(config) }),
    error: (text, attributes) => logger.error(attributes, text),
  });
  const failed = (error: unknown): void =>
    logger.error({ err: error }, 'the product definitions of this package cannot be read');
  if (folder !== null || presetsFolder !== null) files.reload().catch(failed);
  onHangUp(() => {
    files.reload().then(() => logger.info('the product definitions were read again'), failed);
  });
  return files;
}
