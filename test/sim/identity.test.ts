import { testMutants } from './kill-mutants.ts';
import { IDENTITY_MUTANTS } from './identity-mutants.ts';
import { IDENTITY_SCENARIOS } from './identity-scenarios.ts';
import { testScenarios } from './test-scenarios.ts';

testScenarios(IDENTITY_SCENARIOS);
testMutants(IDENTITY_MUTANTS);
