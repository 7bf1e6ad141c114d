import { SCENARIOS } from './scenarios.ts';
import { testScenarios } from './test-scenarios.ts';

testScenarios(SCENARIOS);
