/**
 * Variables that restrict a program to GPUs by their indices: CUDA, ROCm, OpenCL on AMD, oneAPI, and the container runtime of
 * NVIDIA (docs/policy.md#gpus).
 */
const INDEX_VARIABLES = [
  'CUDA_VISIBLE_DEVICES',
  'HIP_VISIBLE_DEVICES',
  'GPU_DEVICE_ORDINAL',
  'ZE_AFFINITY_MASK',
  'NVIDIA_VISIBLE_DEVICES',
] as const;

/** CUDA counts GPUs by speed by default, nvidia-smi by their place on the bus. */
const BUS_ORDER = { CUDA_DEVICE_ORDER: 'PCI_BUS_ID' } as const;

/** Returns the variables of a session whose tasks run on these GPUs; none if no GPU was assigned. */
export function gpuVariables(gpus: readonly number[]): Readonly<Record<string, string>> {
  if (gpus.length === 0) return {};
  const indices = gpus.join(',');
  return { ...Object.fromEntries(INDEX_VARIABLES.map((name) => [name, indices])), ...BUS_ORDER };
}
