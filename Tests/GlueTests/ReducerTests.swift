import Glue
import Testing
