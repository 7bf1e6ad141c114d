import { SERVICE_MUTANTS } from './mutants.ts';
import { testMutants } from './kill-mutants.ts';

testMutants(SERVICE_MUTANTS);
