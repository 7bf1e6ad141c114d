import { fileURLToPath } from 'node:url';
import { readDefinitionFiles, type DefinitionFile } from '../../src/adapters/host/definition-files.ts';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { textOfErrors } from '../../src/core/problems.ts';
import type {
  DescribedProduct,
  DescribedProducts,
  ProductLibrary,
} from '../../src/core/products/product-library.ts';
import type { Unevaluated } from '../../http/ports.ts';
import type { DefinitionTaskResult } from '../threads/pool-task.ts';

/** Folders of the package. */
const SHIPPED_PRODUCTS = 'products';
const SHIPPED_PRESETS = 'presets';

interface ProductFilesOptions {
  /** `products.dir` and `presets.dir`; null if not set. */
  readonly productsFolder: string | null;
  readonly presetsFolder: string | null;
  /** Reads and checks one definition file. */
  readonly define: (text: string) => Promise<DefinitionTaskResult | Unevaluated>;
  readonly error: (text: string, attributes: Readonly<Record<string, string>>) => void;
}

/**
 * The products of definition files: those that come with this package, and those of the operator's folders. They are
 * read at first use, and again by `reload`. A file with errors is logged and skipped.
 */
export class ProductFiles implements ProductLibrary {
  readonly #options: ProductFilesOptions;
  #builtIns: Promise<DescribedProducts> | null = null;
  #presets: Promise<DescribedProducts> | null = null;

  constructor(options: ProductFilesOptions) {
    this.#options = options;
  }

  builtIns(): Promise<DescribedProducts> {
    return (this.#builtIns ??= this.#readBuiltIns().catch((error: unknown) => {
      this.#builtIns = null;
      throw error;
    }));
  }

  presets(): Promise<DescribedProducts> {
    return (this.#presets ??= this.#readPresets().catch((error: unknown) => {
      this.#presets = null;
      throw error;
    }));
  }

  /** Reads all files again. If that fails, requests still see the former products. */
  async reload(): Promise<void> {
    const next = { builtIns: this.#readBuiltIns(), presets: this.#readPresets() };
    // At the start there are no former products: requests wait for the first ones.
    this.#builtIns ??= next.builtIns;
    this.#presets ??= next.presets;
    await Promise.all([next.builtIns, next.presets]);
    this.#builtIns = next.builtIns;
    this.#presets = next.presets;
  }

  /** The names of the products of the package are fixed: a file of the operator cannot replace them. */
  async #readBuiltIns(): Promise<DescribedProducts> {
    const products = new Map(await this.#read(shipped(SHIPPED_PRODUCTS)));
    for (const [name, product] of await this.#readFolder(this.#options.productsFolder)) {
      if (products.has(name)) this.#skipped(product.path, `${name} is a built-in product of Callsheet`);
      else products.set(name, product);
    }
    return products;
  }

  /** A file of the operator replaces a preset of the package, so that a studio can adapt it. */
  async #readPresets(): Promise<DescribedProducts> {
    return new Map([
      ...(await this.#read(shipped(SHIPPED_PRESETS))),
      ...(await this.#readFolder(this.#options.presetsFolder)),
    ]);
  }

  async #readFolder(folder: string | null): Promise<ReadonlyMap<string, FileProduct>> {
    if (folder === null) return new Map();
    try {
      return await this.#read(folder);
    } catch (error) {
      this.#skipped(folder, error instanceof Error ? error.message : String(error));
      return new Map();
    }
  }

  async #read(folder: string): Promise<ReadonlyMap<string, FileProduct>> {
    const products = new Map<string, FileProduct>();
    // One at a time, so that the files do not delay the templates of clients.
    for (const file of await readDefinitionFiles(folder)) {
      const product = await this.#productOf(file);
      if (product === null) continue;
      const { name } = product.definition;
      const former = products.get(name);
      if (former === undefined) products.set(name, product);
      else this.#skipped(file.path, `${name} is already defined in ${former.path}`);
    }
    return products;
  }

  async #productOf(file: DefinitionFile): Promise<FileProduct | null> {
    const { path } = file;
    if (!file.ok) return this.#skipped(path, file.detail);
    const result = await this.#options.define(file.text);
    if (result.ok) return { ...result.product, path };
    if ('errors' in result) return this.#skipped(path, textOfErrors(result.errors));
    const why = 'deadline' in result ? 'its template took too long to check' : 'the service is busy';
    return this.#skipped(path, `${why}; send SIGHUP to read it again`);
  }

  #skipped(file: string, detail: string): null {
    this.#options.error('a product definition was skipped', { file, detail });
    return null;
  }
}

interface FileProduct extends DescribedProduct {
  readonly path: string;
}

const shipped = (folder: string): string => fileURLToPath(new URL(folder, packageRoot));
