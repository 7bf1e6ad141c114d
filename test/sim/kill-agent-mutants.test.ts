import { AGENT_MUTANTS } from './agent-mutants.ts';
import { testMutants } from './kill-mutants.ts';

testMutants(AGENT_MUTANTS);
