import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Smaller files are sent as they are: a compressed one would not spare a packet. */
const WORTH_COMPRESSING = 1024;
const COMPRESSIBLE = /\.(js|css|html|svg|json)$/;

/** Writes what a browser may get compressed beside the files themselves, so that the service never compresses them. */
function precompress() {
  return {
    name: 'precompress',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (!COMPRESSIBLE.test(file.fileName)) continue;
          const content = Buffer.from(file.type === 'chunk' ? file.code : file.source);
          if (content.length < WORTH_COMPRESSING) continue;
          const emit = (extension, source) =>
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.${extension}`, source });
          emit('gz', gzipSync(content, { level: 9 }));
          emit(
            'br',
            brotliCompressSync(content, {
              params: {
                [constants.BROTLI_PARAM_QUALITY]: 11,
                [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
              },
            }),
          );
        }
      },
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  // Shows bidirectional controls of names in all pages.
  plugins: [react({ jsxImportSource: join(import.meta.dirname, 'jsx') }), precompress()],
  build: {
    outDir: '../dist/web-app',
    emptyOutDir: true,
    target: 'es2023',
    // A page of a strict policy has no scripts or styles in it: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8080', ws: true } } },
});
