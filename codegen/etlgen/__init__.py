"""etlgen: from data contracts (OLC, ODCS) to typed Python pipelines.

The folders are the stages, each taking a value and giving the next: ``read`` (YAML to contract), ``sql`` and ``lower`` (its
expressions), ``resolve`` (contract to plan), ``emit`` with ``engines`` and ``python_source`` (plan to text). ``project``,
``workspace`` and ``build`` connect them with the files of a project; ``cli`` is the program. Importing this loads none of them.
"""
