-- Damaged on purpose: values that are none, a table without the columns that matter, names that are not there.
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaMalloc_v3020'), (2, 'cudaFree_v3020'), (3, 'cudaEventCreate_v3020');
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, (1<<48)+(5<<24)+6, 1, 3, 0), (30, NULL, (1<<48)+(5<<24)+6, 2, 3, 0), (40, 9223372036854775807, (1<<48)+(5<<24)+6, 3, 3, 0), (50, 60, (1<<48)+(5<<24)+6, 4, 77, 0);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, address INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (100, (1<<48)+(5<<24), 0, -4096, 512, 2, 0), (110, (1<<48)+(5<<24), 0, 1, -1, 2, 0), (120, (1<<48)+(5<<24), 0, 2, 8, 2, 7), (130, (1<<48)+(5<<24), 0, 3, 8, 99, 0),
  (140, (1<<48)+(5<<24), -5, 4, 'many', 2, 0), (150, (1<<48)+(5<<24), NULL, 5, 16, 2, 0);
CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (start INTEGER, deviceId INTEGER);
CREATE TABLE CUDA_CALLCHAINS (id INTEGER);
